import type { Readable } from 'node:stream';
import type { FileLimits } from '../files/within.ts';
import type { Clock } from '../lib/clock.ts';
import type { WriteHints } from '../lib/hint.ts';
import { warnWith } from '../lib/say.ts';
import type { NodeProgram, System } from '../lib/system.ts';
import type { Pager } from '../output/pager.ts';
import type { Presenter } from '../output/presenter.ts';
import type { Redactor } from '../output/redactor.ts';
import { createSettings, type Flags, type Settings } from '../settings/settings.ts';
import type { CommandTree } from './command-tree.ts';
import type { Services } from './services.ts';

type StandardInput = Readable & { isTTY?: boolean };

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
  agent?: FileLimits | undefined;
  pager?: Pager;
  /** The folder of the built program. */
  dist: string;
  onConnected?: (() => void) | undefined;
}

/** What is decided before a command runs: for a command line, for the call of a tool, or for a completion. */
export interface Invocation extends Host {
  tree: CommandTree;
  services: Services;
  flags: Flags;
  settings: Settings;
  presenter: Presenter;
  writeHints: WriteHints;
  redactor: Redactor;
  /** By the id of a val, what the user typed for it. Hints and errors call the val that. */
  typedWords: Map<string, string>;
}

export const createInvocation = (start: Omit<Invocation, 'settings'>): Invocation => ({
  ...start,
  settings: createSettings(start.flags, start, warnWith(start.presenter.say)),
});
