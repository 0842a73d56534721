// The context of a command: settings, service, streams, messages and signals.
import type { Api } from '../api/api.ts';
import type { ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { SeenVals } from '../names/seen-vals.ts';
import type { Runtime } from '../run/find-node.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import type { Flags, Settings } from '../settings/settings.ts';
import type { Column } from '../terminal/column.ts';
import type { Say } from '../terminal/messages.ts';
import type { Output } from '../terminal/output.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Prompt } from '../terminal/prompt.ts';
import type { LoadedTree } from './command-tree.ts';
import type { Agent, Host, StandardInput } from './host.ts';

export interface ConnectOptions {
  /** Used instead of the token of the settings. */
  token?: string;
  /** Used instead of the base URL of the settings. */
  baseUrl?: BaseUrl;
  signInHint?: string;
  /** The number of requests at a time. The default, `auto`, adapts to the service. */
  concurrency?: number | 'auto';
  /** Used instead of the signal of the context. */
  signal?: AbortSignal;
  /** Limits the time of a request further than the settings do. */
  mostMs?: number;
}

/** All commands, for `vals mcp`, which runs them as tools. */
export interface Commands {
  load(): Promise<LoadedTree>;
  /** Runs a command as the command line does, with these flags and this output. Resolves to the error that ended it. */
  run(host: Partial<Host>, flags: Flags, output: Output): Promise<ValsError | undefined>;
}

export interface Context {
  /** Connects to the service of the settings. Without options, every call returns the same connection. */
  connect(options?: ConnectOptions): Promise<Api>;
  flags: Flags;
  settings: Settings;
  /** The vals that this machine has seen on the current service. */
  seen: SeenVals;
  env: NodeJS.ProcessEnv;
  stdin: () => StandardInput;
  /** For `vals mcp`, which speaks a protocol on stdout. Nothing else is written there. */
  stdout: NodeJS.WriteStream;
  signal: AbortSignal;
  /** The user's word for the val with this id: a name or a file. Undefined if the user gave the id. */
  wordFor(id: string): string | undefined;
  rememberWord(word: string, id: string): void;
  /** Keeps a val that was read to check its name, so that `readVal` does not request it again. */
  rememberVal(id: string, record: JsonObject): void;
  /**
   * Returns the val that `rememberVal` kept, or reads it from the service. Use it only to show the val, because it may
   * be outdated.
   */
  readVal(id: string): Promise<JsonObject>;
  clock: Clock;
  /** The Node, Bun or Deno that runs this program. */
  node: Runtime;
  agent: Agent | undefined;
  commands: Commands;
  /** Whether the output is text at a terminal, not JSON or a pipe. */
  forPerson: boolean;
  prompt: Prompt;
  progress: Progress;
  say: Say;
  /** For `serve`: a log on stderr. If the reader of stderr stops, lines are dropped, so that requests do not wait. */
  openLog(): Promise<{ write(line: string): void; close(): void }>;
  /** For `serve`: writes a line to stdout immediately. */
  print(line: string): Promise<void>;
  /** For a command that runs until interrupted: writes a record to stdout immediately, as one line in the chosen format. */
  event(record: JsonObject, columns: readonly Column[]): Promise<void>;
}
