import type { CommandTree } from './command-tree.ts';
import { optionsAt } from './known-options.ts';

/** The command line with the words of vals in the place of a word that people bring from another program. */
export interface Translated {
  words: readonly string[];
  /** What was replaced, for a line that tells the person. */
  typed?: { word: string; command: string };
}

export function translate(words: readonly string[], { wordsOfOthers }: CommandTree): Translated {
  const index = indexOfCommand(words);
  const word = words[index] ?? '';
  const command = Object.hasOwn(wordsOfOthers, word) ? wordsOfOthers[word] : undefined;
  if (typeof command !== 'string') return { words };
  const translated = [...words.slice(0, index), ...fillIn(command.split(' '), words.slice(index + 1))];
  return { words: translated, typed: { word, command } };
}

/** Only the options of every command may stand before the command. */
function indexOfCommand(words: readonly string[]): number {
  const options = optionsAt([], undefined);
  const isValueOfOption = (index: number) =>
    options.some(
      ({ names, placeholder }) => placeholder !== undefined && names.includes(words[index - 1] ?? ''),
    );
  return words.findIndex((word, index) => !word.startsWith('-') && !isValueOfOption(index));
}

/** If an option stands where a placeholder needs a word, nothing is filled in, and the command refuses its words. */
function fillIn(command: readonly string[], following: readonly string[]): string[] {
  const isPlaceholder = (part: string) => part.startsWith('<');
  const needed = command.filter(isPlaceholder).length;
  const given = following.slice(0, needed);
  if (given.length < needed || given.some((word) => word.startsWith('-'))) {
    const first = command.findIndex(isPlaceholder);
    return [...command.slice(0, first), ...following];
  }
  const left = [...given];
  const filled = command.map((part) => (isPlaceholder(part) ? (left.shift() ?? part) : part));
  return [...filled, ...following.slice(needed)];
}
