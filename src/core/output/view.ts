import type { Hints, WriteHints } from '../lib/hint.ts';
import type { Screen } from './cell.ts';
import type { Column } from './column.ts';
import type { Say } from './out.ts';
import type { Sink } from './streams.ts';
import { createStyle, type Glyphs } from './style.ts';

/** Where the output of one command goes, and how it looks. */
export interface View {
  stdout: Sink;
  stderr: Sink;
  kind: 'json' | 'ndjson' | 'text';
  fields: readonly string[] | undefined;
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  forPerson: boolean;
  quiet: boolean;
  glyphs: Glyphs;
  redact(text: string): string;
  writeHints: WriteHints;
  now(): number;
}

export interface Output extends View {
  say: Say;
  /** The columns of the command. A result may have others. */
  columns: readonly Column[];
  /** Shown if there are no records. */
  empty: Hints;
}

export const screenOn = async (
  { width, color }: Sink,
  { glyphs, redact, now }: View,
  hint: Screen['hint'] = () => {},
): Promise<Screen> => ({ width, style: await createStyle(color), glyphs, now: now(), redact, hint });
