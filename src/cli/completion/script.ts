// The completion script of each shell, made from the command definitions.
import type { CommandTree } from '../commander.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type Places, placesOf } from './places.ts';
import { zshCompletion } from './zsh.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const writers: Record<Shell, (places: Places) => string> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const completionScript = (shell: Shell, tree: CommandTree): string => writers[shell](placesOf(tree));
