// `vals run` as a program of its own, which starts sooner.
import type { CommandTree } from '../../cli/command-tree.ts';
import { run } from './run.ts';

export const commandTree: CommandTree = {
  topics: {},
  groups: [{ title: 'Vals:', commands: [run] }],
  otherWords: {},
};
