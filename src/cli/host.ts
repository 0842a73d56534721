// What an invocation has of the world.
import type { Clock } from '../lib/clock.ts';
import type { System } from '../lib/system.ts';
import type { Pager } from '../terminal/pager.ts';

export interface NodeInstallation {
  path: string;
  /** Such as `20.18.1`. */
  version: string;
}

export interface Host {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  system: System;
  /** Where the user is: what a path on the command line is relative to. */
  cwd: string;
  /** Opening it costs time, so only what reads it asks for it. */
  stdin: () => NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Aborted with an InterruptedError when the process is told to end. */
  signal: AbortSignal;
  clock: Clock;
  /** The Node that runs vals. */
  node: NodeInstallation;
  /** Where somebody sits at a terminal of the system's own. */
  pager?: Pager;
}
