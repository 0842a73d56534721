import type { Hints } from '../lib/hint.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Column } from './column.ts';
import type { OutcomeRow, Result } from './result.ts';

/** Something that a command says beside its result. A terminal writes it to stderr, and a tool adds it to its result. */
export type Event =
  /** With `onlyInText`, nothing is shown with --json, because the JSON already contains the problem. */
  | { kind: 'warning'; text: Hints; onlyInText?: boolean }
  /** --quiet hides it, if it is `minor`. */
  | { kind: 'note'; text: Hints; minor?: boolean }
  /** Shown after the result, and only if the output is a terminal. */
  | { kind: 'hint'; text: Hints }
  /** The last line, for a person. The details follow in brackets. */
  | { kind: 'done'; text: string; details?: readonly string[] }
  /** What the command waits for. Without a text, or when a result or a question is shown, it disappears. */
  | { kind: 'progress'; text?: string }
  /** The service asks to wait. It is shown with the progress, if there is any. */
  | { kind: 'pause'; state: 'begins' | 'ends' }
  /** One request, for --debug. */
  | { kind: 'trace'; text: string }
  /**
   * Lines for a person at a terminal; --quiet hides them. Indented lines are not wrapped, so that the user can copy them.
   * With `despite: 'quiet'`, --quiet does not hide them. With `despite: 'pipe'`, they are also written into a pipe.
   */
  | { kind: 'lines'; text: string; despite?: 'quiet' | 'pipe' }
  /** Records that a question is about. */
  | { kind: 'table'; records: readonly JsonObject[]; columns: readonly Column[] };

export type Say = (event: Event) => void;

/** For a function that can only warn. */
export const warnWith =
  (say: Say) =>
  (text: Hints): void =>
    say({ kind: 'warning', text });

/** Shows what a command does. There are two: a terminal or pipe, and the tool of an agent. */
export interface Out {
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  readonly forPerson: boolean;
  say: Say;
  /** Resolves when everything that was said is written and no progress is shown, so that a question can follow. */
  flush(): Promise<void>;
  show(result: Result): Promise<void>;
  /** Shows one row of a command that goes on, such as a file that was pushed on save. */
  row(record: OutcomeRow, columns: readonly Column[]): Promise<void>;
  /** Writes a line to stdout as it is. */
  print(line: string): Promise<void>;
  /** Removes the token from a text. */
  redact(text: string): string;
}
