import type { Readable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { NodeProgram, System } from '../lib/system.ts';
import type { Pager } from '../terminal/pager.ts';
import type { Redactor } from '../terminal/redactor.ts';
import type { FileLimits } from '../workspace/sources/within.ts';
import type { Services } from './services.ts';

export type StandardInput = Readable & { isTTY?: boolean };

export type Agent = FileLimits;

export interface Host {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  system: System;
  cwd: string;
  stdin: () => StandardInput;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  redactor?: Redactor;
  signal: AbortSignal;
  clock: Clock;
  node: NodeProgram;
  agent?: Agent | undefined;
  pager?: Pager;
  /** The calls of an agent share the connections of the process. */
  services?: Services;
  onConnected?: (() => void) | undefined;
}
