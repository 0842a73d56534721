import { parseNamed, UsageError } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import { asQuestion, nearest } from '../lib/suggest.ts';
import {
  type AnyCommand,
  type ArgumentDefinition,
  argumentsOf,
  isVariadic,
  type OptionDefinition,
} from './command.ts';

type Given = Readonly<Record<string, unknown>>;
type Options = Readonly<Record<string, OptionDefinition<unknown>>>;

export interface InputNames {
  /** What the reader of an error calls an argument or option: `--limit` for a person, `limit` for an agent. */
  nameOf(key: string): string;
  hint: Hints;
}

/** Turns the words of a command line, or the values of a tool call, into the input of the command. */
export function checkInput(command: AnyCommand, given: Given, names: InputNames): Record<string, unknown> {
  const definitions = Object.fromEntries(argumentsOf(command));
  const unknown = Object.keys(given).find(
    (key) => !Object.hasOwn(definitions, key) && !Object.hasOwn(command.options ?? {}, key),
  );
  if (unknown !== undefined) throw new UsageError(`There is no input "${unknown}".`, { hint: names.hint });
  const args = Object.entries(definitions).map(([key, definition]) => [
    key,
    checkArgument(definition, given[key], { ...names, name: names.nameOf(key) }),
  ]);
  return { ...Object.fromEntries(args), ...checkOptions(command.options ?? {}, given, names) };
}

export function checkOptions(options: Options, given: Given, names: InputNames): Record<string, unknown> {
  refuseConflicts(options, given, names);
  return Object.fromEntries(
    Object.entries(options).map(([key, definition]) => [
      key,
      checkOption(definition, given[key], { ...names, name: names.nameOf(key) }),
    ]),
  );
}

interface Named {
  name: string;
  hint: Hints;
}

function checkArgument(definition: ArgumentDefinition<unknown>, value: unknown, named: Named): unknown {
  const { form, parse = (word: string) => word, description } = definition;
  const words = isVariadic(definition)
    ? listOf(value, named)
    : value === undefined
      ? []
      : [wordOf(value, named)];
  if (form.startsWith('<') && words.length === 0) {
    throw new UsageError(`${named.name} is missing: ${description}.`, { hint: named.hint });
  }
  const parsed = words.map((word) => parseNamed(named.name, () => parse(word)));
  return isVariadic(definition) ? parsed : parsed[0];
}

function checkOption(definition: OptionDefinition<unknown>, value: unknown, named: Named): unknown {
  const { flags, choices, isRepeatable, parse = (word: string) => word } = definition;
  if (value === undefined) return flags.startsWith('--no-') ? true : definition.default;
  if (!flags.includes('<')) {
    if (typeof value !== 'boolean') throw wrongType('a boolean', named);
    return value;
  }
  const parseWord = (word: string) => {
    if (choices && !choices.includes(word)) throw wrongChoice(word, choices, named);
    return parseNamed(named.name, () => parse(word));
  };
  return isRepeatable ? listOf(value, named).map(parseWord) : parseWord(wordOf(value, named));
}

function refuseConflicts(options: Options, given: Given, { nameOf, hint }: InputNames): void {
  const isGiven = (key: string) => given[key] !== undefined && given[key] !== false;
  for (const [key, { conflicts = [] }] of Object.entries(options)) {
    const other = isGiven(key) ? conflicts.find(isGiven) : undefined;
    if (other === undefined) continue;
    throw new UsageError(`${nameOf(key)} and ${nameOf(other)} cannot be given together.`, { hint });
  }
}

function listOf(value: unknown, named: Named): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongType('an array of strings', named);
  return value.map((each) => wordOf(each, named));
}

/** An agent may give a number that is exact. A null character would be an error of the file system later. */
function wordOf(value: unknown, named: Named): string {
  const isExact = typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (typeof value !== 'string' && !isExact) throw wrongType('a string', named);
  const word = String(value);
  if (word.includes('\0')) {
    throw new UsageError(`${named.name} contains a null character.`, { hint: 'Remove the null character.' });
  }
  return word;
}

const wrongType = (wanted: string, { name, hint }: Named): UsageError =>
  new UsageError(`${name} must be ${wanted}.`, { hint });

const wrongChoice = (word: string, choices: readonly string[], { name }: Named): UsageError =>
  new UsageError(
    `${name} takes one of ${choices.join(', ')}, not "${word}".${asQuestion(nearest(word, choices))}`,
    { hint: `For example ${choices[0]}.` },
  );
