import type { AnyCommand, ArgumentDefinition, OptionDefinition } from './command.ts';

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
export const placeholderOf = ({ value }: OptionDefinition): string | undefined =>
  value && `<${value.placeholder}>`;

/** As in gh, git and npm. */
const letters: Readonly<Record<string, string>> = {
  dryRun: 'n',
  force: 'f',
  quiet: 'q',
  watch: 'w',
  yes: 'y',
};

/** `-n` and `--dry-run`. */
export function namesOf(key: string, { short = letters[key] }: OptionDefinition): string[] {
  return [...(short === undefined ? [] : [`-${short}`]), optionName(key)];
}

/** `-n, --dry-run`, `--limit <n>`. */
export const flagsOf = (key: string, option: OptionDefinition): string =>
  [namesOf(key, option).join(', '), placeholderOf(option) ?? ''].join(' ').trim();
