import type { WriteHints } from '../lib/hint.ts';
import { warnWith } from '../lib/say.ts';
import { createSettings, type Flags, type Settings } from '../settings/settings.ts';
import type { Presenter } from '../terminal/presenter.ts';
import type { Redactor } from '../terminal/redactor.ts';
import type { CommandTree } from './command-tree.ts';
import type { Host } from './host.ts';
import type { Services } from './services.ts';

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
