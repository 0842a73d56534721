import type { Readable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { NodeProgram, System } from '../lib/system.ts';
import type { Pager } from '../terminal/pager.ts';
import type { Redactor } from '../terminal/redactor.ts';
import type { FileLimits } from '../workspace/sources/within.ts';

type StandardInput = Readable & { isTTY?: boolean };

type Agent = FileLimits;

/** The process, or a test in its place. */
export interface Host {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  system: System;
  /** Throws if the folder is gone. Most commands do not need it. */
  cwd(): string;
  stdin(): StandardInput;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  redactor?: Redactor;
  signal: AbortSignal;
  clock: Clock;
  node: NodeProgram;
  agent?: Agent | undefined;
  pager?: Pager;
  onConnected?: (() => void) | undefined;
}
