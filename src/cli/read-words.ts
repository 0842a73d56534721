// The words of a command line in their places, finished or not: which command, which options, which arguments.
import type { AnyCommand } from './command.ts';
import { type CommandTree, commandNamed } from './command-tree.ts';
import { type KnownOption, optionsAt } from './known-options.ts';

export interface GivenOption {
  /** As it was given. */
  name: string;
  /** What stands behind it; it may be a secret. */
  value: string | undefined;
  /** Undefined where there is none of that name. */
  option: KnownOption | undefined;
  /** What could have been meant. */
  among: readonly KnownOption[];
  /** A switch was given a value. */
  hasSurplusValue: boolean;
}

export interface Words {
  /** Those that name a topic or a command. */
  path: readonly string[];
  /** Undefined where they name none yet. */
  command: AnyCommand | undefined;
  options: readonly GivenOption[];
  /** The command's arguments, or, where there is no command, words that name none. */
  arguments: readonly string[];
  /** The option whose value has to come next. */
  awaiting: KnownOption | undefined;
  /** Whether what comes next is an argument, whatever it looks like. */
  isPastOptions: boolean;
}

export function readWords(words: readonly string[], tree: CommandTree): Words {
  const path: string[] = [];
  const given: GivenOption[] = [];
  const rest: string[] = [];
  let command: AnyCommand | undefined;
  let awaiting: KnownOption | undefined;
  let isPastOptions = false;

  const takeOption = (word: string): void => {
    const among = optionsAt(path, command);
    const { name, value } = splitOption(word);
    const option = findOption(among, name);
    const hasSurplusValue = option !== undefined && option.placeholder === undefined && value !== undefined;
    // -xy is -x and -y, unless -x takes y as its value.
    const isGroup = hasSurplusValue && !name.startsWith('--');
    given.push({
      name,
      value: isGroup ? undefined : value,
      option,
      among,
      hasSurplusValue: hasSurplusValue && !isGroup,
    });
    if (isGroup) takeOption(`-${value}`);
    else if (option?.placeholder !== undefined && value === undefined) awaiting = option;
  };

  for (const word of words) {
    const longer = [...path, word].join(' ');
    if (awaiting !== undefined) {
      (given.at(-1) as GivenOption).value = word;
      awaiting = undefined;
    } else if (!isPastOptions && word === '--') isPastOptions = true;
    else if (!isPastOptions && looksLikeOption(word, command)) takeOption(word);
    else if (command === undefined && rest.length === 0 && !word.includes(' ') && names(tree, longer)) {
      path.push(word);
      command = commandNamed(tree, longer);
    } else {
      rest.push(word);
      // What follows a word that names nothing cannot be judged.
      isPastOptions ||= command === undefined || command.passesThrough === true;
    }
  }
  return { path, command, options: given, arguments: rest, awaiting, isPastOptions };
}

const names = (tree: CommandTree, path: string): boolean =>
  Object.hasOwn(tree.topics, path) || commandNamed(tree, path) !== undefined;

/** A lone dash is standard input, and a command's argument may be a number below zero. */
const looksLikeOption = (word: string, command: AnyCommand | undefined): boolean =>
  /^-./s.test(word) && (command === undefined || !/^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(word));

/** `--name=value`, `-nvalue`. */
export function splitOption(word: string): { name: string; value: string | undefined } {
  const end = word.startsWith('--') ? word.indexOf('=') : 2;
  if (end === -1 || end >= word.length) return { name: word, value: undefined };
  return { name: word.slice(0, end), value: word.slice(word.startsWith('--') ? end + 1 : end) };
}

export const findOption = (options: readonly KnownOption[], name: string): KnownOption | undefined =>
  options.find(({ names }) => names.includes(name));
