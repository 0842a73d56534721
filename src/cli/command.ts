// The definition of a command. Help, parsing, output, completion and the reference are made from it.
import type { Column } from '../terminal/column.ts';
import type { Result } from '../terminal/result.ts';
import type { Context } from './context.ts';

export interface OptionDefinition<T> {
  /** As in the help: `--limit <n>`. */
  flags: string;
  description: string;
  /** Throws a UsageError for an invalid word. For a repeatable option, it is called once for each word. */
  parse?(word: string): unknown;
  choices?: readonly string[];
  words?: readonly string[];
  default?: T;
  /** The description of the opposite option, `--no-...`, if there is one. */
  negated?: string;
  /** Keys of options that cannot be given together with this one. */
  conflicts?: string[];
  /** The value names a val. A name or a file is replaced by the val's id before the command runs. */
  isVal?: boolean;
  isRepeatable?: boolean;
  isNumber?: boolean;
  /** Agents do not get the option, because it is useful only at a terminal or in a script. */
  forPeople?: boolean;
  /** Agents get the option only if they may delete. */
  deletes?: boolean;
}

export interface ArgumentDefinition<T> {
  /** As in the help: `<val>`, `[file]`, `[paths...]`. */
  form: string;
  description: string;
  /** The error message if the argument is missing, instead of one made from its form and description. */
  missing?: string;
  parse?: (word: string) => string;
  isVal?: boolean;
  /** If the word is an existing file, it stays, and is not replaced by the id of the file's val. */
  orFile?: boolean;
  /** The word may also name a version of the val: `greet@2`. */
  orVersion?: boolean;
  words?: readonly string[];
  isNumber?: boolean;
  /** Standard input can replace the argument. Agents have no standard input: they give the text as `code` instead. */
  canBeCode?: boolean;
  /** The description for agents, if the usual one does not fit a tool. */
  toolDescription?: string;
  /** Never set. It only carries the type of the argument's value. */
  type?: T;
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
  /** Text for docs/reference.md only, because the help has to fit a screen of 24 lines. */
  details?: string;
  /** The description for agents, if the usual one does not fit a tool. */
  toolDescription?: string;
  arguments?: A;
  /** The arguments as the help shows them, if their forms are not enough. */
  usage?: string;
  options?: O;
  examples: readonly string[];
  columns: readonly Column[];
  /** Everything after the first argument belongs to the val, options included. */
  passesThrough?: boolean;
  /** Whether the outcomes are also written to the summary page of a CI job. */
  jobSummary?: boolean;
  /** The hint at a terminal if the list is empty. */
  empty?: string;
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

/** `--no-error` for `--error`. */
export const oppositeOf = (flags: string): string => flags.replace(/^--/, '--no-');

export const isVariadic = ({ form }: ArgumentDefinition<unknown>): boolean => form.includes('...');

export const defineCommand = <A extends Arguments, O extends Options>(
  definition: CommandDefinition<A, O>,
): CommandDefinition<A, O> => definition;
