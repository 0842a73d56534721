import { commandNamed, type LoadedCommand, type LoadedTree } from '../command-tree.ts';
import { type KnownOption, optionsAt } from '../known-options.ts';

export interface Words {
  path: readonly string[];
  command: LoadedCommand | undefined;
  options: readonly KnownOption[];
  arguments: readonly string[];
  optionAwaitingValue: KnownOption | undefined;
  onlyArgumentsFollow: boolean;
}

export function readWords(words: readonly string[], tree: LoadedTree): Words {
  const path: string[] = [];
  const options: KnownOption[] = [];
  const others: string[] = [];
  let command: LoadedCommand | undefined;
  let optionAwaitingValue: KnownOption | undefined;
  let onlyArgumentsFollow = false;

  const readOption = (word: string): void => {
    const { name, value } = splitOption(word);
    const option = findOption(optionsAt(path, command), name);
    if (option === undefined) return;
    options.push(option);
    if (option.placeholder !== undefined) optionAwaitingValue = value === undefined ? option : undefined;
    else if (value !== undefined && !name.startsWith('--')) readOption(`-${value}`);
  };

  for (const word of words) {
    const longer = [...path, word].join(' ');
    const isName = Object.hasOwn(tree.topics, longer) || commandNamed(tree, longer) !== undefined;
    if (optionAwaitingValue !== undefined) optionAwaitingValue = undefined;
    else if (!onlyArgumentsFollow && word === '--') onlyArgumentsFollow = true;
    else if (!onlyArgumentsFollow && /^-./s.test(word)) readOption(word);
    else if (command === undefined && others.length === 0 && isName) {
      path.push(word);
      command = commandNamed(tree, longer);
    } else {
      others.push(word);
      onlyArgumentsFollow ||= command === undefined || passesThrough(command, options);
    }
  }
  return { path, command, options, arguments: others, optionAwaitingValue, onlyArgumentsFollow };
}

function passesThrough(
  { passesThrough, optionsMayFollow }: LoadedCommand,
  given: readonly KnownOption[],
): boolean {
  return passesThrough === true && findOption(given, `--${optionsMayFollow}`) === undefined;
}

export function splitOption(word: string): { name: string; value: string | undefined } {
  const end = word.startsWith('--') ? word.indexOf('=') : 2;
  if (end === -1 || end >= word.length) return { name: word, value: undefined };
  return { name: word.slice(0, end), value: word.slice(word.startsWith('--') ? end + 1 : end) };
}

export const findOption = (options: readonly KnownOption[], name: string): KnownOption | undefined =>
  options.find(({ names }) => names.includes(name));
