import type { Hints } from '../lib/hint.ts';
import type { Column } from '../terminal/column.ts';
import type { Result } from '../terminal/result.ts';
import type { Context } from './context.ts';

export interface OptionDefinition<T> {
  flags: string;
  description: string;
  parse?(word: string): unknown;
  choices?: readonly string[];
  words?: readonly string[];
  default?: T;
  negatedDescription?: string;
  conflicts?: string[];
  isVal?: boolean;
  isRepeatable?: boolean;
  isNumber?: boolean;
  hiddenFromAgents?: boolean;
  deletes?: boolean;
}

export interface ArgumentDefinition<T> {
  form: string;
  description: string;
  parse?: (word: string) => string;
  isVal?: boolean;
  orFile?: boolean;
  runsCode?: boolean;
  orVersion?: boolean;
  words?: readonly string[];
  isNumber?: boolean;
  canBeCode?: boolean;
  descriptionForAgents?: string;
  phantomType?: T;
}

type ValueOf<Form extends string> = Form extends `${string}...${string}`
  ? string[]
  : Form extends `[${string}]`
    ? string | undefined
    : string;

export const argument = <Form extends string>(
  form: Form,
  description: string,
  parse?: (word: string) => string,
): ArgumentDefinition<ValueOf<Form>> => ({ form, description, parse });

export const val = <Form extends string>(
  form: Form,
  description: string,
): ArgumentDefinition<ValueOf<Form>> => ({ form, description, isVal: true });

export const toggle = (
  flags: string,
  description: string,
  more: Partial<OptionDefinition<boolean | undefined>> = {},
): OptionDefinition<boolean | undefined> => ({ flags, description, ...more });

export const word = (
  flags: string,
  description: string,
  more: Partial<OptionDefinition<string | undefined>> = {},
): OptionDefinition<string | undefined> => ({ flags, description, ...more });

export const parsed = <T>(
  flags: string,
  description: string,
  parse: (word: string) => T,
  more: Partial<OptionDefinition<T | undefined>> = {},
): OptionDefinition<T | undefined> => ({ flags, description, parse, ...more });

export const repeatable = <T>(
  flags: string,
  description: string,
  parse: (word: string) => T,
): OptionDefinition<T[] | undefined> => ({
  flags,
  description,
  parse,
  isRepeatable: true,
});

type Arguments = Record<string, ArgumentDefinition<unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: the values' types are recovered one by one in Input.
type Options = Record<string, OptionDefinition<any>>;

type Input<A extends Arguments, O extends Options> = {
  [K in keyof A]: A[K] extends ArgumentDefinition<infer T> ? T : never;
} & { [K in keyof O]: O[K] extends OptionDefinition<infer T> ? T : never };

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
  jobSummary?: boolean;
  empty?: Hints;
  run(context: Context, input: Input<A, O>): Promise<Result> | Result;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of commands has no single input type.
export type AnyCommand = CommandDefinition<any, any>;

export const argumentsOf = ({
  arguments: definitions,
}: Pick<AnyCommand, 'arguments'>): [key: string, ArgumentDefinition<unknown>][] =>
  Object.entries(definitions ?? {});

export const formsOf = (command: AnyCommand): string[] =>
  command.usage === undefined ? argumentsOf(command).map(([, { form }]) => form) : [command.usage];

export const oppositeOf = (flags: string): string => flags.replace(/^--/, '--no-');

/** The name of an option in the input of a tool and in a hint: `--no-check` is `noCheck`. */
export const inputName = (key: string, { flags }: OptionDefinition<unknown>): string =>
  flags.startsWith('--no-') ? `no${key.charAt(0).toUpperCase()}${key.slice(1)}` : key;

export const longName = (flags: string): string => /--[\w-]+/.exec(flags)?.[0] ?? flags;

export const isVariadic = ({ form }: ArgumentDefinition<unknown>): boolean => form.includes('...');

export const defineCommand = <A extends Arguments, O extends Options>(
  definition: CommandDefinition<A, O>,
): CommandDefinition<A, O> => definition;
