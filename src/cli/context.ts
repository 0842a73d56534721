// Everything that a command gets from outside.
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
  /** The hint if the service does not accept the token. By default, the hint for the service in force. */
  signInHint?: string;
  /** The number of requests at a time. By default, as many as the service handles well. */
  concurrency?: number | 'auto';
  /** Aborts requests, instead of the context's signal. */
  signal?: AbortSignal;
  /** The longest time for a request, if the settings allow more. */
  mostMs?: number;
}

/** All commands, for `vals mcp`, which runs them. */
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
  /** The vals that this machine has seen on the service in force. */
  seen: SeenVals;
  env: NodeJS.ProcessEnv;
  stdin: () => StandardInput;
  /** For a command that speaks a protocol on stdout. vals writes nothing else there. */
  stdout: NodeJS.WriteStream;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  /** The user's word for the val with this id: a name or a file. Undefined if the user gave the id. */
  wordFor(id: string): string | undefined;
  rememberWord(word: string, id: string): void;
  /** Keeps a val that was read to check its name, for `readVal`. */
  rememberVal(id: string, record: JsonObject): void;
  /** The val as the service has it, for a person to look at. It is read once. */
  readVal(id: string): Promise<JsonObject>;
  clock: Clock;
  /** The Node, Bun or Deno that runs vals. */
  node: Runtime;
  agent: Agent | undefined;
  commands: Commands;
  /** Whether the result is text for a person. */
  forPerson: boolean;
  prompt: Prompt;
  progress: Progress;
  /** Messages on stderr. */
  say: Say;
  /** For `serve`: lines on stderr. Lines are dropped if nobody reads them. */
  openLog(): Promise<{ write(line: string): void; close(): void }>;
  /** For `serve`: a line on stdout, at once. */
  print(line: string): Promise<void>;
  /** For a command without an end: writes a record to stdout, at once, as one line in the chosen format. */
  event(record: JsonObject, columns: readonly Column[]): Promise<void>;
}
