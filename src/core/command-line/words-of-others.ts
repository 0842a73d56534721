import type { CommandTree } from './command.ts';
import { commandNamed, loadCommand } from './command-tree.ts';
import { type KnownOption, optionsAt } from './known-options.ts';

/** The command line with the words of vals in the place of a word that people bring from another program. */
export interface Translated {
  words: readonly string[];
  /** What was replaced, for a line that tells the person. */
  typed?: { word: string; command: string };
}

export async function translate(words: readonly string[], tree: CommandTree): Promise<Translated> {
  const { wordsOfOthers } = tree;
  const index = indexesOfWords(words, optionsAt([], undefined))[0] ?? -1;
  const word = words[index] ?? '';
  const command = Object.hasOwn(wordsOfOthers, word) ? wordsOfOthers[word] : undefined;
  if (typeof command !== 'string') return { words };
  const parts = command.split(' ');
  const path = parts.filter((part) => /^[a-z]/.test(part));
  const entry = parts.some(isPlaceholder) ? commandNamed(tree, path.join(' ')) : undefined;
  const options = optionsAt(path, entry && (await loadCommand(entry)));
  const translated = [...words.slice(0, index), ...fillIn(parts, words.slice(index + 1), options)];
  return { words: translated, typed: { word, command } };
}

const isPlaceholder = (part: string): boolean => part.startsWith('<');

/** Where the words are that are neither options nor values of options. */
function indexesOfWords(words: readonly string[], options: readonly KnownOption[]): number[] {
  const takesValue = (word: string) =>
    options.some(({ names, placeholder }) => placeholder !== undefined && names.includes(word));
  return [...words.keys()].filter(
    (index) => !words[index]?.startsWith('-') && !takesValue(words[index - 1] ?? ''),
  );
}

/** If there are fewer words than placeholders, nothing is filled in, and the command refuses its words. */
function fillIn(
  command: readonly string[],
  following: readonly string[],
  options: readonly KnownOption[],
): string[] {
  const needed = command.filter(isPlaceholder).length;
  const given = indexesOfWords(following, options).slice(0, needed);
  if (given.length < needed) return [...command.slice(0, command.findIndex(isPlaceholder)), ...following];
  const left = given.map((index) => following[index] ?? '');
  const filled = command.map((part) => (isPlaceholder(part) ? (left.shift() ?? part) : part));
  return [...filled, ...following.filter((_, index) => !given.includes(index))];
}
