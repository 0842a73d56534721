import { InvalidValue, parseNamed, UsageError } from '../errors.ts';
import { type Hint, type Hints, hintList } from '../lib/hint.ts';
import type { Flags } from '../settings/settings.ts';
import type { AnyCommand, ArgumentDefinition, OptionDefinition, Options } from './command.ts';
import { parsedText, seconds, text } from './value-types.ts';

export const argumentsOf = ({
  arguments: definitions,
}: Pick<AnyCommand, 'arguments'>): [key: string, ArgumentDefinition][] => Object.entries(definitions ?? {});

export const optionsOf = ({ options }: Pick<AnyCommand, 'options'>): [key: string, OptionDefinition][] =>
  Object.entries(options ?? {});

/** `<val>`, `[file]`, `<version...>`. */
export function formOf({ value, optional, repeatable }: ArgumentDefinition): string {
  const name = `${value.placeholder}${repeatable ? '...' : ''}`;
  return optional ? `[${name}]` : `<${name}>`;
}

export const formsOf = (command: AnyCommand): string[] =>
  command.usage === undefined
    ? argumentsOf(command).map(([, argument]) => formOf(argument))
    : [command.usage];

const inKebabCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const optionName = (key: string): string => `--${inKebabCase(key)}`;

export const negatedName = (key: string): string => `--no-${inKebabCase(key)}`;

/** `<n>`, or undefined for an option that is on or off. */
const placeholderOf = ({ value }: OptionDefinition): string | undefined => value && `<${value.placeholder}>`;

/** As in curl, gh, git and npm. */
const letters: Readonly<Record<string, string>> = {
  dryRun: 'n',
  field: 'f',
  force: 'f',
  help: 'h',
  method: 'X',
  quiet: 'q',
  version: 'V',
  watch: 'w',
  yes: 'y',
};

/** `-n` and `--dry-run`. */
const namesOf = (key: string): string[] => [
  ...(Object.hasOwn(letters, key) ? [`-${letters[key]}`] : []),
  optionName(key),
];

/** `-n, --dry-run`, `--limit <n>`. */
export const flagsOf = (key: string, option: OptionDefinition): string =>
  [namesOf(key).join(', '), placeholderOf(option) ?? ''].join(' ').trim();

/** An option as it is typed. One that has an opposite is two. */
export interface KnownOption {
  names: readonly string[];
  description: string;
  placeholder: string | undefined;
  definition: OptionDefinition;
}

/** The options of a command, and those of every command. */
export const optionsAt = (command: AnyCommand | undefined): KnownOption[] =>
  knownOptions({ ...command?.options, ...globalOptions, help: helpOption });

export const knownOptions = (options: Options): KnownOption[] =>
  Object.entries(options).flatMap(([key, definition]) => {
    const { description, negatable } = definition;
    const placeholder = placeholderOf(definition);
    const option = { names: namesOf(key), description, placeholder, definition };
    if (negatable === undefined) return [option];
    return [option, { ...option, names: [negatedName(key)], description: negatable }];
  });

export const globalOptions: Record<keyof Flags, OptionDefinition> = {
  json: { description: 'print one JSON document', conflicts: ['ndjson'] },
  ndjson: { description: 'print one JSON record per line, as records arrive' },
  fields: {
    description: 'print only these fields of each record',
    value: parsedText('a,b.c', parseFields),
  },
  quiet: { description: 'print no hints and no progress' },
  baseUrl: { description: 'the address of the service (VALS_BASE_URL)', value: text('url') },
  local: { description: 'use the embedded service on this machine (VALS_LOCAL=1)' },
  timeout: {
    description: 'time limit of a request and its retries (VALS_TIMEOUT, default: 60)',
    value: seconds(),
  },
  allowHttp: { description: 'allow http:// addresses of other machines (VALS_ALLOW_HTTP=1)' },
  debug: { description: 'print each request on stderr (VALS_DEBUG=1)' },
  color: {
    description: 'print tables and colours as at a terminal, even in a pipe',
    negatable: 'print no colours (NO_COLOR=1)',
  },
};

export const helpOption: OptionDefinition = { description: 'show the help' };
export const versionOption: OptionDefinition = { description: 'print the version' };

export const environmentAlone: Readonly<Record<string, string>> = {
  VALS_TOKEN: 'the token to use instead of the one that `vals login` stored',
  VALS_CONFIG_DIR: 'the folder of the config file',
  VALS_DATA_DIR: 'the data folder of the embedded service',
  HTTPS_PROXY: 'the proxy for https:// addresses',
  HTTP_PROXY: 'the proxy for http:// addresses',
  NO_PROXY: 'the hosts that are reached without a proxy',
  VISUAL: 'the editor for `vals val edit`, used instead of EDITOR',
};

function parseFields(text: string): string[] {
  const fields = text.split(',').map((field) => field.trim());
  if (fields.some((field) => field === '' || field.split('.').includes(''))) {
    throw new InvalidValue(
      `takes names separated by commas, not "${text}".`,
      'For example id,author.username.',
    );
  }
  return fields;
}

type RawInput = Readonly<Record<string, unknown>>;

export interface InputNames {
  /** What the reader of an error calls an argument or option: `--limit` for a person, `limit` for an agent. */
  nameOf(key: string): string;
  hint: Hints;
}

/** Turns the words of a command line, or the values of a tool call, into the input of the command. Their types are checked. */
export function checkInput(command: AnyCommand, raw: RawInput, names: InputNames): Record<string, unknown> {
  try {
    const args = argumentsOf(command).map(([key, definition]) => [
      key,
      checkArgument(definition, raw[key], { ...names, name: names.nameOf(key) }),
    ]);
    return { ...Object.fromEntries(args), ...checkOptions(command.options ?? {}, raw, names) };
  } catch (error) {
    if (error instanceof UsageError) error.facts.hint = hintList(error.facts.hint).map(withTyped(raw));
    throw error;
  }
}

/** In the place of `<val>`, a hint names the val that was typed. */
const withTyped =
  (raw: RawInput) =>
  (hint: Hint): Hint => {
    if (typeof hint === 'string') return hint;
    const typedFor = (word: string | number) => {
      const typed = raw[/^<(\w+)>$/.exec(`${word}`)?.[1] ?? ''];
      return typeof typed === 'string' ? typed : word;
    };
    return { parts: hint.parts.map((part) => (typeof part === 'string' ? part : part.map(typedFor))) };
  };

export function refuseOneDocument({ json }: Flags, option: string): void {
  if (!json) return;
  throw new UsageError(`${option} never ends, so it cannot print one JSON document.`, {
    hint: 'To print one record per line, use --ndjson instead of --json.',
  });
}

export function checkOptions(options: Options, raw: RawInput, names: InputNames): Record<string, unknown> {
  refuseConflicts(options, raw, names);
  return Object.fromEntries(
    Object.entries(options).map(([key, definition]) => [
      key,
      checkOption(definition, raw[key], { ...names, name: names.nameOf(key) }),
    ]),
  );
}

interface Named {
  name: string;
  hint: Hints;
}

function checkArgument(definition: ArgumentDefinition, raw: unknown, named: Named): unknown {
  const { value, optional, repeatable, description } = definition;
  const isGiven = repeatable ? listOf(raw, named).length > 0 : raw !== undefined;
  if (!isGiven && !optional) {
    throw new UsageError(`${named.name} is missing: ${description}.`, {
      hint: [...hintList(value.hintIfMissing), ...hintList(named.hint)],
    });
  }
  const parse = (word: string) => parseNamed(named.name, () => value.parse(word));
  if (repeatable) return listOf(raw, named).map(parse);
  return isGiven ? parse(wordOf(raw, named)) : undefined;
}

function checkOption(definition: OptionDefinition, raw: unknown, named: Named): unknown {
  const { value = typeof raw === 'string' ? definition.afterEquals : undefined, repeatable } = definition;
  if (raw === undefined) return definition.default;
  if (value === undefined) return raw;
  const parse = (word: string) => parseNamed(named.name, () => value.parse(word));
  return repeatable ? listOf(raw, named).map(parse) : parse(wordOf(raw, named));
}

function refuseConflicts(options: Options, raw: RawInput, { nameOf, hint }: InputNames): void {
  const isGiven = (key: string) => raw[key] !== undefined && raw[key] !== false;
  for (const [key, { conflicts = [] }] of Object.entries(options)) {
    const other = isGiven(key) ? conflicts.find(isGiven) : undefined;
    if (other === undefined) continue;
    throw new UsageError(`${nameOf(key)} and ${nameOf(other)} cannot be given together.`, { hint });
  }
}

const listOf = (value: unknown, named: Named): string[] =>
  Array.isArray(value) ? value.map((each) => wordOf(each, named)) : [];

/** A null character would be an error of the file system later. */
function wordOf(value: unknown, { name }: Named): string {
  const word = String(value);
  if (!word.includes('\0')) return word;
  throw new UsageError(`${name} contains a null character.`, { hint: 'Remove the null character.' });
}
