// The parts of the process that one invocation of the program uses. Tests replace these parts.
import type { Readable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { System } from '../lib/system.ts';
import type { Runtime } from '../run/find-node.ts';
import type { Pager } from '../terminal/pager.ts';
import type { FileLimits } from '../workspace/sources/within.ts';

export type StandardInput = Readable & { isTTY?: boolean };

export type Agent = FileLimits;

export interface Host {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  system: System;
  /** Paths on the command line are relative to this folder. */
  cwd: string;
  /** This is a function, because opening stdin takes time and few commands read stdin. */
  stdin: () => StandardInput;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** The signal is aborted with an InterruptedError when the process gets SIGINT or SIGTERM. */
  signal: AbortSignal;
  clock: Clock;
  /** The Node, Bun or Deno that runs this program. */
  node: Runtime;
  /**
   * Set if an agent runs the command through `vals mcp`. A command that an agent runs has no standard input and no
   * terminal.
   */
  agent?: Agent | undefined;
  /** Shows a long text page by page. Undefined if the command has no terminal. */
  pager?: Pager;
  /** Called when a connection to a service has been created. */
  onConnected?: (() => void) | undefined;
}
