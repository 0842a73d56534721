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
  /** If given, the connection uses this token and not the token of the settings. */
  token?: string;
  /** If given, the connection uses this base URL and not the base URL of the settings. */
  baseUrl?: BaseUrl;
  signInHint?: string;
  /** The largest number of requests at a time. `auto`, the default, adapts the number to the service. */
  concurrency?: number | 'auto';
  /** If given, this signal aborts the requests, and the signal of the context does not. */
  signal?: AbortSignal;
  /** The largest time for a request, in milliseconds. A shorter timeout in the settings still applies. */
  mostMs?: number;
}

/** All commands of the program. `vals mcp` offers these commands to agents as tools. */
export interface Commands {
  load(): Promise<LoadedTree>;
  /**
   * Runs a command with these flags and this output, as the command line does. Resolves to the error that ended the
   * command.
   */
  run(host: Partial<Host>, flags: Flags, output: Output): Promise<ValsError | undefined>;
}

export interface Context {
  /** Connects to the service of the settings. Every call without options returns the same connection. */
  connect(options?: ConnectOptions): Promise<Api>;
  flags: Flags;
  settings: Settings;
  /** The vals that this machine has seen on the current service. */
  seen: SeenVals;
  env: NodeJS.ProcessEnv;
  stdin: () => StandardInput;
  /** For `vals mcp`, which sends protocol messages on stdout. Nothing else may write to stdout then. */
  stdout: NodeJS.WriteStream;
  signal: AbortSignal;
  /** The name or file with which the user named the val that has this id. Undefined if the user gave the id. */
  wordFor(id: string): string | undefined;
  rememberWord(word: string, id: string): void;
  /** Keeps a val that was read to check the val's name, so that `readVal` does not request the val again. */
  rememberVal(id: string, record: JsonObject): void;
  /**
   * Returns the val that `rememberVal` kept, or else reads the val from the service. A kept val may be outdated, so use
   * `readVal` only to show a val.
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
  /**
   * For `serve`: opens a log on stderr. If the reader of stderr stops reading, lines of the log are dropped, so that
   * requests do not wait.
   */
  openLog(): Promise<{ write(line: string): void; close(): void }>;
  /** For `serve`: writes a line to stdout immediately. */
  print(line: string): Promise<void>;
  /** For a command that runs until Ctrl-C: writes a record to stdout immediately, as one line in the chosen format. */
  event(record: JsonObject, columns: readonly Column[]): Promise<void>;
}
