import type { Hints } from '../lib/hint.ts';
import type { Column } from '../output/column.ts';
import type { Result } from '../output/result.ts';
import type { Context } from './context.ts';
import type { ValueType } from './value-types.ts';

interface Described {
  description: string;
  /** The value may be given several times, and the command gets a list. */
  repeatable?: boolean;
}

/** Its key is its name: `dryRun` is the option `--dry-run` and the input `dryRun` of a tool. */
export interface OptionDefinition extends Described {
  /** One letter, if the name does not have one already. */
  short?: string;
  /** Few people need it, so it stands under the last heading of the help. */
  rare?: boolean;
  /** The option also exists as `--no-...`, and this is what that does. */
  negatable?: string;
  /** Without it, the option is on or off. */
  value?: ValueType<unknown>;
  /** For an option without `value`: what may follow after `=`, as in `--inspect=9230`. */
  afterEquals?: ValueType<unknown>;
  default?: string | number;
  conflicts?: readonly string[];
  /** Agents do not get the option. */
  forPeople?: boolean;
  deletes?: boolean;
}

export interface ArgumentDefinition extends Described {
  value: ValueType<unknown>;
  optional?: boolean;
  /** An agent may give the code itself instead of the path of a file. */
  canBeCode?: boolean;
  descriptionForAgents?: string;
}

export type Arguments = Readonly<Record<string, ArgumentDefinition>>;
export type Options = Readonly<Record<string, OptionDefinition>>;

type ValueOf<D> = D extends { value: ValueType<infer Value> }
  ? Value
  : D extends { afterEquals: ValueType<infer Value> }
    ? Value | boolean
    : boolean;
type Read<D> = D extends { repeatable: true } ? ValueOf<D>[] : ValueOf<D>;
type ArgumentInput<D> = D extends { optional: true; repeatable?: false } ? Read<D> | undefined : Read<D>;
type OptionInput<D> = D extends { default: string | number } ? Read<D> : Read<D> | undefined;

type Input<A extends Arguments, O extends Options> = {
  -readonly [K in keyof A]: ArgumentInput<A[K]>;
} & { -readonly [K in keyof O]: OptionInput<O[K]> };

export interface CommandDefinition<A extends Arguments = Arguments, O extends Options = Options> {
  summary: string;
  description?: string;
  details?: string;
  descriptionForAgents?: string;
  arguments?: A;
  usage?: string;
  options?: O;
  examples: readonly string[];
  columns: readonly Column[];
  passesThrough?: boolean;
  /** After this option, options may follow the arguments, although the command passes words through. */
  optionsMayFollow?: string;
  /** What to do instead, for somebody who gives arguments that the command does not take. */
  insteadOfArguments?(words: readonly string[]): Hints;
  empty?: Hints;
  run(context: Context, input: Input<A, O>): Promise<Result> | Result;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of commands has no single input type.
export type AnyCommand = CommandDefinition<any, any>;

type NoInput = Record<never, never>;

export const defineCommand = <const A extends Arguments = NoInput, const O extends Options = NoInput>(
  definition: CommandDefinition<A, O>,
): CommandDefinition<A, O> => definition;

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
