import type { CommandTree } from './command.ts';
import { commandNamed } from './command-tree.ts';
import { optionsAt } from './known-options.ts';

/** What the first word of a command line stands for, unless a command has that name. */
const firstWords: Readonly<Record<string, readonly string[]>> = {
  get: ['val', 'get'],
  create: ['val', 'create'],
  set: ['val', 'set'],
  edit: ['val', 'edit'],
  rm: ['val', 'rm'],
  delete: ['val', 'rm'],
  whoami: ['me'],
  log: ['version', 'ls'],
  restore: ['version', 'restore'],
  deploy: ['push'],
};

/** Wherever the command with the other word stands. */
const verbs: Readonly<Record<string, string>> = { list: 'ls', delete: 'rm' };

/** The command line with the name of a command in the place of an alias. */
export function withoutAliases(words: readonly string[], tree: CommandTree): readonly string[] {
  const index = indexOfFirst(words);
  const [word = '', next = ''] = words.slice(index);
  if (Object.hasOwn(tree.topics, word)) {
    const verb = verbOf(next);
    return verb !== undefined && commandNamed(tree, `${word} ${verb}`)
      ? words.toSpliced(index + 1, 1, verb)
      : words;
  }
  if (index === -1 || commandNamed(tree, word)) return words;
  const own = Object.hasOwn(firstWords, word) ? firstWords[word] : undefined;
  const verb = verbOf(word);
  if (own !== undefined) return words.toSpliced(index, 1, ...own);
  return verb !== undefined && commandNamed(tree, verb) ? words.toSpliced(index, 1, verb) : words;
}

const verbOf = (word: string): string | undefined => (Object.hasOwn(verbs, word) ? verbs[word] : undefined);

/** The first word that is neither an option nor the value of one. */
function indexOfFirst(words: readonly string[]): number {
  const options = optionsAt([], undefined);
  const takesValue = (word = '') =>
    options.some(({ names, placeholder }) => placeholder !== undefined && names.includes(word));
  return words.findIndex((word, index) => !word.startsWith('-') && !takesValue(words[index - 1]));
}

/** What a mistyped word may have meant, beside the names of commands. */
export const aliasesBelow = (topic: string | undefined): string[] =>
  topic === undefined ? [...Object.keys(firstWords), 'list'] : Object.keys(verbs);
