import type { ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Message } from '../lib/say.ts';
import type { Column } from './column.ts';
import type { Result } from './result.ts';

export type Event =
  | Message
  /** Records that a question is about. */
  | { kind: 'table'; records: readonly JsonObject[]; columns: readonly Column[] };

/** Shows what a command does. There are two: a terminal or pipe, and the tool of an agent. */
export interface Presenter {
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  readonly forPerson: boolean;
  say(event: Event): void;
  /** Resolves when everything that was said is written, so that a question can follow. */
  flush(): Promise<void>;
  result(result: Result): Promise<void>;
  /** The command has ended, perhaps with an error. */
  end(error?: ValsError): Promise<void>;
}
