// All commands, in the order of the help.
import type { CommandTree } from '../cli/command-tree.ts';
import { asking, topics } from './asking.ts';
import { completion } from './completion.ts';
import { diff } from './diff.ts';
import { forget } from './forget.ts';
import { init } from './init.ts';
import { otherWords } from './other-words.ts';
import { pull } from './pull.ts';
import { push } from './push/push.ts';
import { run } from './run/run.ts';
import { serve } from './serve/serve.ts';
import { status } from './status.ts';

export const commandTree: CommandTree = {
  topics,
  groups: [
    { title: 'Vals:', commands: [push, run, ...asking.vals] },
    { title: 'Workspace:', commands: [init, status, diff, pull, forget] },
    { title: 'Your things:', commands: asking.things },
    { title: 'Set-up:', commands: [...asking.settings, serve, ...asking.people, completion] },
  ],
  otherWords,
};
