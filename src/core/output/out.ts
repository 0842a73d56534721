import type { JsonObject } from '../lib/json.ts';
import type { Message } from '../lib/say.ts';
import type { Column } from './column.ts';
import type { Log } from './log.ts';
import type { OutcomeRow } from './outcome.ts';
import type { Result } from './result.ts';

export type Event =
  | Message
  /** Records that a question is about. */
  | { kind: 'table'; records: readonly JsonObject[]; columns: readonly Column[] };

/** Shows what a command does. There are two: a terminal or pipe, and the tool of an agent. */
export interface Out {
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  readonly forPerson: boolean;
  say(event: Event): void;
  /** Resolves when everything that was said is written, so that a question can follow. */
  flush(): Promise<void>;
  show(result: Result): Promise<void>;
  /** Shows one row of a command that goes on, such as a file that was pushed on save. */
  row(record: OutcomeRow, columns: readonly Column[]): Promise<void>;
  /** Writes a line to stdout as it is. */
  print(line: string): Promise<void>;
  openLog(): Promise<Log>;
  /** Removes the token from a text. */
  redact(text: string): string;
}
