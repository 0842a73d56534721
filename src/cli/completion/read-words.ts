// Reads an unfinished command line up to its last word, for completion. commander reads only finished command lines.
import { commandNamed, type LoadedCommand, type LoadedTree } from '../command-tree.ts';
import { type KnownOption, optionsAt } from '../known-options.ts';

export interface Words {
  /** The words that name a topic or a command. */
  path: readonly string[];
  /** Undefined if the path names no command yet. */
  command: LoadedCommand | undefined;
  options: readonly KnownOption[];
  /** The command's arguments. Without a command: words that name no command. */
  arguments: readonly string[];
  /** The option whose value comes next. */
  awaiting: KnownOption | undefined;
  /** Whether the next word is an argument, even if it begins with a dash. */
  isPastOptions: boolean;
}

export function readWords(words: readonly string[], tree: LoadedTree): Words {
  const path: string[] = [];
  const options: KnownOption[] = [];
  const others: string[] = [];
  let command: LoadedCommand | undefined;
  let awaiting: KnownOption | undefined;
  let isPastOptions = false;

  const readOption = (word: string): void => {
    const { name, value } = splitOption(word);
    const option = findOption(optionsAt(path, command), name);
    if (option === undefined) return;
    options.push(option);
    if (option.placeholder !== undefined) awaiting = value === undefined ? option : undefined;
    // If -x takes no value, -xy stands for -x -y.
    else if (value !== undefined && !name.startsWith('--')) readOption(`-${value}`);
  };

  for (const word of words) {
    const longer = [...path, word].join(' ');
    const isName = Object.hasOwn(tree.topics, longer) || commandNamed(tree, longer) !== undefined;
    if (awaiting !== undefined) awaiting = undefined;
    else if (!isPastOptions && word === '--') isPastOptions = true;
    else if (!isPastOptions && /^-./s.test(word)) readOption(word);
    else if (command === undefined && others.length === 0 && isName) {
      path.push(word);
      command = commandNamed(tree, longer);
    } else {
      others.push(word);
      // After an unknown command, and after the first argument of `run`, no word is an option.
      isPastOptions ||= command === undefined || command.passesThrough === true;
    }
  }
  return { path, command, options, arguments: others, awaiting, isPastOptions };
}

/** `--name=value` or `-nvalue`. */
export function splitOption(word: string): { name: string; value: string | undefined } {
  const end = word.startsWith('--') ? word.indexOf('=') : 2;
  if (end === -1 || end >= word.length) return { name: word, value: undefined };
  return { name: word.slice(0, end), value: word.slice(word.startsWith('--') ? end + 1 : end) };
}

export const findOption = (options: readonly KnownOption[], name: string): KnownOption | undefined =>
  options.find(({ names }) => names.includes(name));
