// The types of a command's definition. The definition is the source of the help, the parser, the output, the completion
// and docs/reference.md.
import type { Column } from '../terminal/column.ts';
import type { Result } from '../terminal/result.ts';
import type { Context } from './context.ts';

export interface OptionDefinition<T> {
  /** The option and its placeholder as the help shows them, such as `--limit <n>`. */
  flags: string;
  description: string;
  /**
   * Converts the word that the user gave as the value. Throws a UsageError if the word is invalid. For a repeatable
   * option, `parse` is called once for each word.
   */
  parse?(word: string): unknown;
  choices?: readonly string[];
  words?: readonly string[];
  default?: T;
  /** The description of the opposite option, such as `--no-error`. Undefined if the option has no opposite. */
  negated?: string;
  /** The keys of the options that cannot be given together with this option. */
  conflicts?: string[];
  /**
   * Whether the value names a val. If the value is a name or a file, the id of the val replaces the value before the
   * command runs.
   */
  isVal?: boolean;
  isRepeatable?: boolean;
  isNumber?: boolean;
  /** Whether the option is hidden from agents, because it is useful only at a terminal or in a script. */
  forPeople?: boolean;
  /** Whether the option deletes something. Agents get such an option only if they may delete. */
  deletes?: boolean;
}

export interface ArgumentDefinition<T> {
  /** The argument as the help shows it, such as `<val>`, `[file]` or `[paths...]`. */
  form: string;
  description: string;
  /**
   * The error message if the argument is missing. Without this text, the message is made from the form and the
   * description.
   */
  missing?: string;
  parse?: (word: string) => string;
  isVal?: boolean;
  /**
   * Whether the argument may also be a file. If the word looks like a path or is an existing file, the word is not
   * replaced by the id of a val.
   */
  orFile?: boolean;
  /** Whether the word may also name a version of the val, such as `greet@2`. */
  orVersion?: boolean;
  words?: readonly string[];
  isNumber?: boolean;
  /**
   * Whether standard input can replace the argument. Agents have no standard input, so they give the text as `code`.
   */
  canBeCode?: boolean;
  /** The description for agents, if `description` does not fit a tool. */
  toolDescription?: string;
  /** This field is never set. It only carries the type of the argument's value. */
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
  /** Text that appears only in docs/reference.md, because the help of a command must fit on a screen of 24 lines. */
  details?: string;
  /** The description for agents, if `description` does not fit a tool. */
  toolDescription?: string;
  arguments?: A;
  /** The arguments as the help shows them, if the forms of the arguments are not enough. */
  usage?: string;
  options?: O;
  examples: readonly string[];
  columns: readonly Column[];
  /** Whether all words after the first argument, options included, are passed to the val. */
  passesThrough?: boolean;
  /** Whether the outcomes are also written to the summary page of a CI job. */
  jobSummary?: boolean;
  /** The hint that a terminal shows if the list is empty. */
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

/** For example, returns `--no-error` for `--error`. */
export const oppositeOf = (flags: string): string => flags.replace(/^--/, '--no-');

export const isVariadic = ({ form }: ArgumentDefinition<unknown>): boolean => form.includes('...');

export const defineCommand = <A extends Arguments, O extends Options>(
  definition: CommandDefinition<A, O>,
): CommandDefinition<A, O> => definition;
