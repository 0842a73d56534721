// What a command is: one declaration from which help, checks, output and completion are made.
import type { Api } from '../api/api.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Rows } from '../lib/rows.ts';
import type { Flags, Settings } from '../settings/settings.ts';
import type { Style } from '../terminal/style.ts';

export interface OptionDefinition<T> {
  /** As in the help: `--limit <n>`. */
  flags: string;
  description: string;
  /** Throws a UsageError for a word it cannot take. `before` is what the option given earlier came to. */
  parse?(word: string, before?: T): T;
  choices?: readonly string[];
  /** Worth offering, where other words are taken too. */
  words?: readonly string[];
  default?: T;
  /** What its opposite, `--no-...`, means, where there is one. */
  negated?: string;
  /** Keys of options that contradict this one. */
  conflicts?: string[];
  /** Names a val: in a workspace by its name or file too, which become its id before the command runs. */
  isVal?: boolean;
}

export interface ArgumentDefinition<T> {
  /** As in the help: `<val>`, `[file]`, `[paths...]`. */
  form: string;
  description: string;
  parse?: (word: string) => string;
  /** Names a val, as the option of that kind. */
  isVal?: boolean;
  /** A file that is there is meant as itself, not as the val that it is of. */
  orFile?: boolean;
  /** Worth offering when the user asks for completion. */
  words?: readonly string[];
  /** Never set: carries the type of the argument's value. */
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

/** A val's id, or in a workspace its name or file. */
export const val = <Form extends string>(
  form: Form,
  description: string,
): ArgumentDefinition<ValueOf<Form>> => ({ form, description, isVal: true });

/** A switch, on or absent. */
export const toggle = (
  flags: string,
  description: string,
  more: Partial<OptionDefinition<boolean | undefined>> = {},
): OptionDefinition<boolean | undefined> => ({ flags, description, ...more });

/** An option with a word behind it. */
export const word = (
  flags: string,
  description: string,
  more: Partial<OptionDefinition<string | undefined>> = {},
): OptionDefinition<string | undefined> => ({ flags, description, ...more });

/** An option whose word means something else than text. */
export const parsed = <T>(
  flags: string,
  description: string,
  parse: (word: string) => T,
  more: Partial<OptionDefinition<T | undefined>> = {},
): OptionDefinition<T | undefined> => ({ flags, description, parse, ...more });

/** An option that may be given again and again: its values, in their order. */
export const repeatable = <T>(
  flags: string,
  description: string,
  parse: (word: string) => T,
): OptionDefinition<T[] | undefined> => ({
  flags,
  description,
  parse: (word, before = []) => [...before, parse(word)],
});

type Arguments = Record<string, ArgumentDefinition<unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: the values' types are recovered one by one in Input.
type Options = Record<string, OptionDefinition<any>>;

type Input<A extends Arguments, O extends Options> = {
  [K in keyof A]: A[K] extends ArgumentDefinition<infer T> ? T : never;
} & { [K in keyof O]: O[K] extends OptionDefinition<infer T> ? T : never };

/** A column of a table: the first of its paths that has a value. */
export interface Column {
  header: string;
  paths: readonly string[];
  /** At a terminal, a moment is shown as its age. */
  moment?: boolean;
  /** Useless when cut, as an id is: other columns give way first. */
  whole?: boolean;
  /** Left out of a table that would otherwise have to be cut: what it says can be missed first. */
  droppable?: boolean;
  /** For the eye alone, at a terminal: another text for the value, and its colour. */
  look?: (value: string) => { text: string; tone?: keyof Style };
  /** A text made from the record, which JSON does not have; undefined where the paths say it. */
  text?: (record: JsonObject) => string | undefined;
  /** At a terminal, a number is shown so. */
  write?(value: number): string;
  /** Counts over time, shown as bars. */
  chart?: boolean;
}

export const column = (header: string, ...paths: string[]): Column => ({
  header,
  paths: paths.length > 0 ? paths : [header],
  whole: header === 'id',
});
export const moment = (header: string, ...paths: string[]): Column => ({
  ...column(header, ...paths),
  moment: true,
});

export const figure = (header: string, path: string, write: (value: number) => string): Column => ({
  ...column(header, path),
  write,
  whole: true,
});
export const chart = (header: string, path: string): Column => ({ ...column(header, path), chart: true });

/** A list, page by page, as it arrives. */
export type Pages = AsyncIterable<Rows>;

/** A record, or rows, whose columns are not those of the command. */
export class WithColumns {
  constructor(
    readonly result: JsonObject | readonly JsonObject[],
    readonly columns: readonly Column[],
  ) {}
}

/** Differences: unified, as one text, and in JSON a record each. */
export class Differences {
  constructor(
    readonly rows: readonly JsonObject[],
    readonly text: string,
  ) {}
}

/** A value of whatever shape: it has no columns, so it is JSON in every format. */
export class AsJson {
  constructor(readonly value: JsonValue) {}
}

/** Text in pieces, none of which is waited for longer than it takes to come. */
export class Pieces {
  constructor(readonly pieces: AsyncIterable<Buffer>) {}
}

/** Results one after another: each is shown before the next is asked for. */
export class InTurn {
  constructor(readonly results: AsyncIterable<AsJson | Pieces>) {}
}

/** A list without an end: its records are shown as they come, in every format. */
export class Following {
  constructor(readonly pages: Pages) {}
}

/** A record, a list, rows that are all there, a text as it is, or nothing. */
export type Result =
  | JsonObject
  | WithColumns
  | AsJson
  | Pieces
  | InTurn
  | Following
  | Pages
  | readonly JsonObject[]
  | string
  | undefined;

export interface ConnectOptions {
  /** Instead of the one in the settings. */
  token?: string;
  /** Instead of the context's: what ends a request that is under way. */
  signal?: AbortSignal;
  /** The most that a request may take, where the settings allow more. */
  mostMs?: number;
}

/** What a command is handed from outside. */
export interface Context {
  /** The service: settings are read and the way to it is chosen here, not before. */
  connect(options?: ConnectOptions): Promise<Api>;
  flags: Flags;
  settings: Settings;
  env: NodeJS.ProcessEnv;
  stdin: () => NodeJS.ReadStream;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  /** The name or file by which the user named a val with this id, where it was not the id. */
  wordFor(id: string): string | undefined;
  clock: Clock;
  /** Whether a person reads the result as text, so that it may be arranged for the eye. */
  forPerson: boolean;
  prompt: Prompt;
  progress: Progress;
  /** On stderr, at once. */
  warn(message: string): void;
  /** On stderr at a terminal, after the result. */
  hint(message: string): void;
  /** A line on stderr as it is: for another program that reads it, such as a CI runner. */
  annotate(line: string): void;
  /** For a command that serves others: lines on stderr that may be missed. */
  openLog(): Promise<{ write(line: string): void; close(): void }>;
  /** For a command that reports while it runs, such as serve: a line on stdout. */
  print(line: string): Promise<void>;
  /** For a command that goes on: a record on stdout, at once, as a line of the format in force. */
  event(record: JsonObject, columns: readonly Column[]): Promise<void>;
  /** Lines for the person in front of it, at once, on stderr at a terminal. */
  banner(lines: string): void;
}

export interface Prompt {
  /** Throws a UsageError naming `instead` where nobody can be asked. */
  confirm(question: string, instead: string): Promise<boolean>;
  secret(question: string, instead: string): Promise<string>;
}

export interface Progress {
  show(text: string): void;
  /** For good: what goes on without an end is not waited for. */
  stop(): void;
}

export interface CommandDefinition<A extends Arguments = Arguments, O extends Options = Options> {
  /** Its words on the command line. */
  path: string;
  /** Other words for it. */
  aliases?: string[];
  summary: string;
  description?: string;
  arguments?: A;
  options?: O;
  examples: readonly string[];
  columns: readonly Column[];
  /** What follows its first argument is not ours, options included. */
  passesThrough?: boolean;
  /** Whether its rows go onto the page of a CI job too. */
  jobSummary?: boolean;
  /** What to say, at a terminal, when a list has nothing in it. */
  empty?: string;
  run(context: Context, input: Input<A, O>): Promise<Result | Differences> | Result | Differences;
}

/** Any command, where only its outside matters. */
// biome-ignore lint/suspicious/noExplicitAny: a list of commands has no single input type.
export type AnyCommand = CommandDefinition<any, any>;

export const defineCommand = <A extends Arguments, O extends Options>(
  definition: CommandDefinition<A, O>,
): CommandDefinition<A, O> => definition;
