import { InvalidValue } from '../errors.ts';
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
  pager: {
    description: 'show long output in VALS_PAGER, PAGER or less',
    negatable: 'use no pager',
  },
};

export const helpOption: OptionDefinition = { description: 'show the help' };
export const versionOption: OptionDefinition = { description: 'print the version' };

export const environmentAlone: Readonly<Record<string, string>> = {
  VALS_TOKEN: 'the token to use instead of the one that `vals login` stored',
  VALS_TO_TOKEN: 'the token for the service that `vals copy --to` names',
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
