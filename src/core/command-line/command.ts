import type { Readable } from 'node:stream';
import type { LocalError } from '../errors.ts';
import type { FileLimits } from '../files/within.ts';
import type { FileOfVal, KnownVals } from '../find-val/find-val.ts';
import type { Api } from '../http/api.ts';
import type { OpenDispatcher } from '../http/request/dispatcher.ts';
import type { Hints } from '../lib/hint.ts';
import type { System } from '../lib/system.ts';
import type { Redactor } from '../lib/visible.ts';
import type { Clock } from '../lib/waiting.ts';
import type { Column } from '../output/column.ts';
import type { Out, Result } from '../output/out.ts';
import type { Prompt } from '../output/prompt.ts';
import type { BaseUrl, ProxyServer } from '../settings/addresses.ts';
import type { Flags, Settings } from '../settings/settings.ts';
import type { ValueType } from './value-types.ts';

interface Described {
  description: string;
  /** The value may be given several times, and the command gets a list. */
  repeatable?: boolean;
}

/** Its key is its name: `dryRun` is the option `--dry-run` and the input `dryRun` of a tool. */
export interface OptionDefinition extends Described {
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
  arguments?: A;
  usage?: string;
  options?: O;
  examples: readonly string[];
  columns: readonly Column[];
  passesThrough?: boolean;
  /** After this option, options may follow the arguments, although the command passes words through. */
  optionsMayFollow?: string;
  empty?: Hints;
  run(context: Context, input: Input<A, O>): Promise<Result> | Result;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of commands has no single input type.
export type AnyCommand = CommandDefinition<any, any>;

type NoInput = Record<never, never>;

export const defineCommand = <const A extends Arguments = NoInput, const O extends Options = NoInput>(
  definition: CommandDefinition<A, O>,
): CommandDefinition<A, O> => definition;

export type Effect = 'reads' | 'adds' | 'updates' | 'deletes' | 'runs';

interface Declared {
  path: string;
  /** Where the help lists it. */
  group: 'vals' | 'workspace' | 'set-up';
  effect: Effect;
  /** What its first word is about, at the first command of that word. */
  topic?: string;
}

export interface PlacedCommand extends Declared {
  load(): Promise<{ command: AnyCommand }>;
}

export interface LoadedCommand extends Declared, AnyCommand {}

export interface ValUse {
  isForWriting: boolean;
}

/** Undefined if the word is no path of a file that is there or that git knows. */
export type FindFile = (word: string) => Promise<FileOfVal | undefined>;

/** What a folder beside core adds to the program: its commands, and at most two hooks. */
export interface Feature {
  /** One with the path of a command of core takes its place and extends it. */
  commands: readonly PlacedCommand[];
  /** Which val the path of a file means. Throws if a command may not write to that val. */
  openFiles?: ((context: Context, use: ValUse) => Promise<FindFile>) | undefined;
  /** What --local connects to. */
  openLocal?: OpenLocal | undefined;
}

/** The whole program: core with its features. The commands are in the order of the help. */
export type CommandTree = Feature;

/** The embedded service in this process. */
interface LocalService {
  base: BaseUrl;
  token: string | undefined;
  failure(): LocalError | undefined;
  close(): Promise<void>;
}

export type OpenLocal = (settings: Settings) => Promise<LocalService>;

/** What one process has open: connections to services, and the embedded service. All calls of `vals mcp` share it. */
export interface OpenConnections {
  local: OpenLocal;
  to(base: BaseUrl, proxy: ProxyServer | undefined): Promise<OpenDispatcher>;
  close(): Promise<void>;
}

/** What a person allows the agent that calls. */
interface AgentLimits extends FileLimits {
  /** It may make a val more public than it is, or a new one public or unlisted. */
  mayPublish: boolean;
}

/** The process, or a test in its place. */
export interface Host {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  system: System;
  /** Throws if the folder is gone. Most commands do not need it. */
  cwd(): string;
  stdin(): Readable & { isTTY?: boolean };
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  redactor: Redactor;
  signal: AbortSignal;
  clock: Clock;
  /** The Node that runs this program, and the vals. */
  node: { path: string; version: string };
  agent?: AgentLimits | undefined;
  /** The folder of the built program. */
  dist: string;
  onConnected?: (() => void) | undefined;
}

/** Which service, if it is not the one in use, and how. */
export interface Connect {
  baseUrl?: BaseUrl;
  token?: string;
  /** What to do about a token that is missing or refused. */
  signInHint?: Hints;
  concurrency?: number | 'auto';
  signal?: AbortSignal;
  /** The time limit of a request, if it is shorter than --timeout. */
  mostMs?: number;
}

/** One run of a command: for a command line, or for the call of a tool. */
export interface Context {
  host: Host;
  tree: CommandTree;
  connections: OpenConnections;
  flags: Flags;
  settings: Settings;
  api(to?: Connect): Promise<Api>;
  /** What is known of the vals of the service in use. */
  vals: KnownVals;
  out: Out;
  ask: Prompt;
}
