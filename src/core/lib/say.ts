import type { Hints } from './hint.ts';

/** Something that a command says beside its result. A terminal writes it to stderr, and a tool adds it to its result. */
export type Message =
  /** With `onlyInText`, nothing is shown with --json, because the JSON already contains the problem. */
  | { kind: 'warning'; text: Hints; onlyInText?: boolean }
  | { kind: 'note'; text: Hints }
  /** Shown after the result, and only if the output is a terminal. */
  | { kind: 'hint'; text: Hints }
  /** The last line, if the output is a terminal. The details follow in brackets. */
  | { kind: 'done'; text: string; details?: readonly string[] }
  /** What the command waits for. Without a text, no more progress is shown. */
  | { kind: 'progress'; text?: string }
  /** One request, for --debug. */
  | { kind: 'trace'; text: string }
  /**
   * Lines for a person at a terminal; --quiet hides them. Indented lines are not wrapped, so that the user can copy them.
   * With `despite: 'quiet'`, --quiet does not hide them. With `despite: 'pipe'`, they are also written into a pipe.
   */
  | { kind: 'lines'; text: string; despite?: 'quiet' | 'pipe' };

export type Say = (message: Message) => void;

/** For a function that can only warn. */
export const warnWith =
  (say: Say) =>
  (text: Hints): void =>
    say({ kind: 'warning', text });
