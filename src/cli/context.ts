// What a command is handed from outside: the service, the settings, and the ways to a person.
import type { Api } from '../api/api.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { SeenVals } from '../names/seen-vals.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import type { Flags, Settings } from '../settings/settings.ts';
import type { Column } from '../terminal/column.ts';
import type { Say } from '../terminal/messages.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Prompt } from '../terminal/prompt.ts';
import type { NodeInstallation } from './host.ts';

export interface ConnectOptions {
  /** Instead of the one in the settings. */
  token?: string;
  /** Instead of the one in the settings. */
  baseUrl?: BaseUrl;
  /** How many requests at a time; as many as the service takes well where absent. */
  concurrency?: number | 'auto';
  /** Instead of the context's: what ends a request that is under way. */
  signal?: AbortSignal;
  /** The most that a request may take, where the settings allow more. */
  mostMs?: number;
}

/** What a command is handed from outside. */
export interface Context {
  /** The service: settings are read and the way to it is chosen here, not before. Asked for again without options, the same. */
  connect(options?: ConnectOptions): Promise<Api>;
  flags: Flags;
  settings: Settings;
  /** The vals that this machine has seen on the service in force. */
  seen: SeenVals;
  env: NodeJS.ProcessEnv;
  stdin: () => NodeJS.ReadStream;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  /** The name or file by which the user named a val with this id, where it was not the id. */
  wordFor(id: string): string | undefined;
  rememberWord(word: string, id: string): void;
  clock: Clock;
  /** The Node that runs vals. */
  node: NodeInstallation;
  /** Whether a person reads the result as text, so that it may be arranged for the eye. */
  forPerson: boolean;
  prompt: Prompt;
  progress: Progress;
  /** Messages on stderr. */
  say: Say;
  /** For a command that serves others: lines on stderr that may be missed. */
  openLog(): Promise<{ write(line: string): void; close(): void }>;
  /** For a command that reports while it runs, such as serve: a line on stdout. */
  print(line: string): Promise<void>;
  /** For a command that goes on: a record on stdout, at once, as a line of the format in force. */
  event(record: JsonObject, columns: readonly Column[]): Promise<void>;
}
