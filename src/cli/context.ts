import type { Api } from '../api/api.ts';
import type { ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Hints } from '../lib/hint.ts';
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
import type { LoadedCommand, LoadedTree } from './command-tree.ts';
import type { Agent, Host, StandardInput } from './host.ts';

export interface ConnectOptions {
  token?: string;
  baseUrl?: BaseUrl;
  signInHint?: Hints;
  concurrency?: number | 'auto';
  signal?: AbortSignal;
  mostMs?: number;
}

export interface CommandCall {
  command: LoadedCommand;
  input: Record<string, unknown>;
  flags: Flags;
}

export interface Commands {
  load(): Promise<LoadedTree>;
  /** Runs a command for an agent. `output` gets the result. */
  run(call: CommandCall, host: Partial<Host>, output: Output): Promise<ValsError | undefined>;
}

export interface Context {
  connect(options?: ConnectOptions): Promise<Api>;
  flags: Flags;
  settings: Settings;
  seen: SeenVals;
  env: NodeJS.ProcessEnv;
  stdin: () => StandardInput;
  stdout: NodeJS.WriteStream;
  signal: AbortSignal;
  wordFor(id: string): string | undefined;
  /** Undefined if the command line gave the id of the val instead of its name. */
  nameFor(id: string): string | undefined;
  rememberWord(word: string, val: { id: string; name?: string }): void;
  rememberVal(id: string, record: JsonObject, etag?: string): void;
  /** Undefined if the val was not read before, or if the service sends no ETags. */
  etagOf(id: string): string | undefined;
  /** Returns the name, the version, the privacy and the times of the val. */
  readSummary(id: string): Promise<JsonObject>;
  clock: Clock;
  node: Runtime;
  agent: Agent | undefined;
  commands: Commands;
  forPerson: boolean;
  /** Removes the token from a text. */
  redact(text: string): string;
  prompt: Prompt;
  progress: Progress;
  say: Say;
  openLog(): Promise<{ write(line: string): void; close(): void }>;
  print(line: string): Promise<void>;
  event(record: JsonObject, columns: readonly Column[]): Promise<void>;
}
