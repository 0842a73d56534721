// Everything that one invocation gets from the process.
import type { Readable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { System } from '../lib/system.ts';
import type { Runtime } from '../run/find-node.ts';
import type { Pager } from '../terminal/pager.ts';
import type { FileLimits } from '../workspace/sources/within.ts';

export type StandardInput = Readable & { isTTY?: boolean };

/** An agent has no standard input and no terminal. */
export type Agent = FileLimits;

export interface Host {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  system: System;
  /** The working directory: paths on the command line are relative to it. */
  cwd: string;
  /** Opening stdin takes time, so it is opened when it is read. */
  stdin: () => StandardInput;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Aborted with an InterruptedError when the process is told to end. */
  signal: AbortSignal;
  clock: Clock;
  /** The Node, Bun or Deno that runs vals. */
  node: Runtime;
  /** Set if an agent gave the command, through `vals mcp`. */
  agent?: Agent | undefined;
  /** Absent if there is no terminal. */
  pager?: Pager;
  /** Called when a service was reached. */
  onConnected?: (() => void) | undefined;
}
