import { type AnyCommand, argumentsOf } from '../command.ts';
import {
  commandNamed,
  commandNames,
  commandsOf,
  type LoadedCommand,
  type LoadedTree,
} from '../command-tree.ts';
import { globalOptions } from '../global-options.ts';
import { conflict, type KnownOption, optionsAt } from '../known-options.ts';
import type { Offer, ValueType } from '../value-types.ts';

export interface Candidate {
  word: string;
  description: string;
}

export interface Completions {
  candidates: readonly Candidate[];
  offers: readonly Offer[];
  before: string;
  /** The val of the command line, for which versions are offered. */
  val?: string | undefined;
  /** The options of every command that were typed. They decide which service is asked. */
  flags: Readonly<Record<string, string | true>>;
}

const none: Completions = { candidates: [], offers: [], before: '', flags: {} };

export function completions(
  tree: LoadedTree,
  wordsBefore: readonly string[],
  unfinished: string,
): Completions {
  if (wordsBefore[0] === 'help') return completeHelp(tree, wordsBefore.slice(1), unfinished);
  const words = readWords(wordsBefore, tree);
  return { ...completeNext(tree, words, unfinished), val: words.arguments[0], flags: words.flags };
}

function completeNext(tree: LoadedTree, words: Words, unfinished: string): Completions {
  if (words.optionAwaitingValue !== undefined) return completeValue(words.optionAwaitingValue, unfinished);
  if (!words.onlyArgumentsFollow && unfinished.startsWith('-')) return completeOption(words, unfinished);
  if (words.command !== undefined) {
    return completeArgument(words.command, words.arguments.length, unfinished);
  }
  return words.arguments.length === 0 ? completeCommand(tree, words.path, unfinished) : none;
}

function completeHelp(tree: LoadedTree, wordsBefore: readonly string[], unfinished: string): Completions {
  const { path, command, arguments: rest } = readWords(wordsBefore, tree);
  if (command !== undefined || rest.length > 0) return none;
  const { candidates } = completeCommand(tree, path, unfinished);
  const more = path.length === 0 ? [{ word: 'options', description: 'Options of every command' }] : [];
  return startingWith(unfinished, [...candidates.filter(({ word }) => word !== 'help'), ...more]);
}

function completeCommand(tree: LoadedTree, path: readonly string[], unfinished: string): Completions {
  const topic = path.join(' ');
  const commands = commandsOf(tree).flatMap(({ summary, ...command }) =>
    commandNames(command)
      .map((name) => name.split(' '))
      .filter((words) => words.slice(0, -1).join(' ') === topic)
      .map((words) => ({ word: words.at(-1) ?? '', description: summary }))
      // An alias is offered only if the name does not begin with what was typed.
      .filter(({ word }) => word.startsWith(unfinished))
      .slice(0, 1),
  );
  const topics = Object.entries(tree.topics).map(([word, description]) => ({ word, description }));
  const help = { word: 'help', description: 'Explain a command' };
  return startingWith(unfinished, [...commands, ...(topic === '' ? topics : []), help]);
}

function completeOption({ path, command, options: typed }: Words, unfinished: string): Completions {
  const known = optionsAt(path, command);
  const { name, value } = splitOption(unfinished);
  if (value !== undefined && name.startsWith('--')) {
    const option = findOption(known, name);
    if (option?.placeholder === undefined) return none;
    return { ...completeValue(option, value), before: `${name}=` };
  }
  const mayBeAdded = (option: KnownOption) =>
    option.definition.repeatable ||
    !typed.some((other) => other.key === option.key || conflict(other, option));
  return startingWith(
    unfinished,
    known
      .filter(mayBeAdded)
      .flatMap(({ names, description }) => names.map((word) => ({ word, description }))),
  );
}

const completeValue = ({ definition: { value } }: KnownOption, unfinished: string): Completions =>
  value === undefined ? none : completeType(value, unfinished);

function completeArgument(command: AnyCommand, position: number, unfinished: string): Completions {
  const definitions = argumentsOf(command).map(([, definition]) => definition);
  const last = definitions.at(-1);
  const definition = definitions[position] ?? (last?.repeatable ? last : undefined);
  return definition === undefined ? none : completeType(definition.value, unfinished);
}

function completeType({ words = [], offers = [] }: ValueType<unknown>, unfinished: string): Completions {
  const candidates = words.map((word) => ({ word, description: '' }));
  return { ...startingWith(unfinished, candidates), offers };
}

const startingWith = (unfinished: string, candidates: readonly Candidate[]): Completions => ({
  ...none,
  candidates: candidates.filter(({ word }) => word.startsWith(unfinished)),
});

interface Words {
  path: readonly string[];
  command: LoadedCommand | undefined;
  options: readonly KnownOption[];
  arguments: readonly string[];
  flags: Completions['flags'];
  optionAwaitingValue: KnownOption | undefined;
  onlyArgumentsFollow: boolean;
}

function readWords(words: readonly string[], tree: LoadedTree): Words {
  const path: string[] = [];
  const options: KnownOption[] = [];
  const others: string[] = [];
  const flags: Record<string, string | true> = {};
  let command: LoadedCommand | undefined;
  let optionAwaitingValue: KnownOption | undefined;
  let onlyArgumentsFollow = false;

  const keepFlag = ({ key }: KnownOption, value: string | true): void => {
    if (Object.hasOwn(globalOptions, key)) flags[key] = value;
  };

  const readOption = (word: string): void => {
    const { name, value } = splitOption(word);
    const option = findOption(optionsAt(path, command), name);
    if (option === undefined) return;
    options.push(option);
    if (option.placeholder === undefined) {
      keepFlag(option, true);
      if (value !== undefined && !name.startsWith('--')) readOption(`-${value}`);
    } else if (value === undefined) optionAwaitingValue = option;
    else keepFlag(option, value);
  };

  for (const word of words) {
    const longer = [...path, word].join(' ');
    const isName = Object.hasOwn(tree.topics, longer) || commandNamed(tree, longer) !== undefined;
    if (optionAwaitingValue !== undefined) {
      keepFlag(optionAwaitingValue, word);
      optionAwaitingValue = undefined;
    } else if (!onlyArgumentsFollow && word === '--') onlyArgumentsFollow = true;
    else if (!onlyArgumentsFollow && /^-./s.test(word)) readOption(word);
    else if (command === undefined && others.length === 0 && isName) {
      path.push(word);
      command = commandNamed(tree, longer);
    } else {
      others.push(word);
      onlyArgumentsFollow ||= command === undefined || passesThrough(command, options);
    }
  }
  return { path, command, options, arguments: others, flags, optionAwaitingValue, onlyArgumentsFollow };
}

function passesThrough(
  { passesThrough, optionsMayFollow }: LoadedCommand,
  typed: readonly KnownOption[],
): boolean {
  return passesThrough === true && findOption(typed, `--${optionsMayFollow}`) === undefined;
}

function splitOption(word: string): { name: string; value: string | undefined } {
  const end = word.startsWith('--') ? word.indexOf('=') : 2;
  if (end === -1 || end >= word.length) return { name: word, value: undefined };
  return { name: word.slice(0, end), value: word.slice(word.startsWith('--') ? end + 1 : end) };
}

const findOption = (options: readonly KnownOption[], name: string): KnownOption | undefined =>
  options.find(({ names }) => names.includes(name));
