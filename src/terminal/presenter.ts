import type { ValsError } from '../errors.ts';
import type { HintWriter } from '../lib/hint.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Message } from '../lib/say.ts';
import type { Column } from './column.ts';
import type { Redactor } from './redactor.ts';
import type { Result } from './result.ts';

export type Event =
  | Message
  /** Records that a question is about. */
  | { kind: 'table'; records: readonly JsonObject[]; columns: readonly Column[] };

/** Shows what a command does. There are two: a terminal or pipe, and the tool of an agent. */
export interface Presenter {
  result(result: Result): Promise<void>;
  say(event: Event): void;
  /** The command has ended, perhaps with an error. */
  end(error?: ValsError): Promise<void>;
}

/** A presenter, and what a command has to know about it. */
export interface Stage {
  presenter: Presenter;
  hints: HintWriter;
  redactor: Redactor;
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  forPerson: boolean;
  /** Resolves when everything that was said is written, so that a question can follow. */
  flush(): Promise<void>;
}
