import type { LoadedCommand, LoadedTree } from '../command.ts';
import { commandNamed, commandNames, commandsOf } from '../command-tree.ts';
import { type KnownOption, optionsAt } from '../known-options.ts';
import { argumentsOf } from '../option-names.ts';
import type { Offer, ValueType } from '../value-types.ts';

export interface Candidate {
  word: string;
  description: string;
}

export interface Completions {
  candidates: readonly Candidate[];
  offers: readonly Offer[];
  before: string;
}

const none: Completions = { candidates: [], offers: [], before: '' };

export function completions(
  tree: LoadedTree,
  wordsBefore: readonly string[],
  unfinished: string,
): Completions {
  const isHelp = wordsBefore[0] === 'help';
  const words = readWords(isHelp ? wordsBefore.slice(1) : wordsBefore, tree);
  const { path, command, others, optionAwaitingValue } = words;
  if (isHelp && command !== undefined) return none;
  if (optionAwaitingValue !== undefined) return completeValue(optionAwaitingValue, unfinished);
  if (!words.onlyArgumentsFollow && unfinished.startsWith('-')) return completeOption(words, unfinished);
  if (command !== undefined) return completeArgument(command, others.length, unfinished);
  return others.length === 0 ? completeCommand(tree, path.join(' '), unfinished) : none;
}

function completeCommand(tree: LoadedTree, topic: string, unfinished: string): Completions {
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

function completeOption({ path, command }: Words, unfinished: string): Completions {
  const known = optionsAt(path, command);
  const [name = '', value] = unfinished.split(/=(.*)/s);
  if (value !== undefined) {
    const option = findOption(known, name);
    return option === undefined ? none : { ...completeValue(option, value), before: `${name}=` };
  }
  return startingWith(
    unfinished,
    known.flatMap(({ names, description }) => names.map((word) => ({ word, description }))),
  );
}

const completeValue = ({ definition: { value } }: KnownOption, unfinished: string): Completions =>
  value === undefined ? none : completeType(value, unfinished);

function completeArgument(command: LoadedCommand, position: number, unfinished: string): Completions {
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
  /** The words that are neither options nor names of commands. */
  others: readonly string[];
  optionAwaitingValue: KnownOption | undefined;
  onlyArgumentsFollow: boolean;
}

function readWords(words: readonly string[], tree: LoadedTree): Words {
  const path: string[] = [];
  const others: string[] = [];
  let command: LoadedCommand | undefined;
  let optionAwaitingValue: KnownOption | undefined;
  let onlyArgumentsFollow = false;
  for (const word of words) {
    const longer = [...path, word].join(' ');
    const isName = Object.hasOwn(tree.topics, longer) || commandNamed(tree, longer) !== undefined;
    if (optionAwaitingValue !== undefined) optionAwaitingValue = undefined;
    else if (!onlyArgumentsFollow && word === '--') onlyArgumentsFollow = true;
    else if (!onlyArgumentsFollow && /^-./s.test(word)) {
      // The value of `--option=value` is in the same word, so it does not match.
      const option = findOption(optionsAt(path, command), word);
      if (option?.placeholder !== undefined) optionAwaitingValue = option;
    } else if (command === undefined && others.length === 0 && isName) {
      path.push(word);
      command = commandNamed(tree, longer);
    } else {
      others.push(word);
      onlyArgumentsFollow ||= command === undefined || command.passesThrough === true;
    }
  }
  return { path, command, others, optionAwaitingValue, onlyArgumentsFollow };
}

const findOption = (options: readonly KnownOption[], name: string): KnownOption | undefined =>
  options.find(({ names }) => names.includes(name));
