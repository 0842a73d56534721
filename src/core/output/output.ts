import type { Clock } from '../lib/clock.ts';
import type { Hints, WriteHints } from '../lib/hint.ts';
import type { Column } from './column.ts';
import type { Messages } from './messages.ts';
import type { Redactor } from './redactor.ts';
import type { Sink } from './streams.ts';
import type { Glyphs } from './style.ts';

export interface Format {
  kind: 'json' | 'ndjson' | 'text';
  fields: string[] | undefined;
  color: boolean;
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  forPerson: boolean;
  glyphs: Glyphs;
  quiet: boolean;
}

/** Where and how the results of one command are shown. */
export interface Output {
  stdout: Sink;
  redactor: Redactor;
  messages: Messages;
  format: Format;
  writeHints: WriteHints;
  now: Clock['now'];
  /** The columns of the command. A result may have others. */
  columns: readonly Column[];
  /** Shown if there are no records. */
  empty: Hints | undefined;
}
