import type { Hints } from '../../lib/hint.ts';
import { type Column, columnsFor } from '../column.ts';
import type { Format, Output } from '../output.ts';
import type { Screen } from '../screen.ts';
import type { Redactor, Sink } from '../streams.ts';
import { createStyle } from '../style.ts';

export interface RenderOptions extends Format {
  commandColumns: readonly Column[];
  now: number;
  /** Redact a text before you cut the text, because `redact` recognizes only the whole token. */
  redactor: Redactor;
  interruptibleIfReadOnly: Output['interruptibleIfReadOnly'];
  givenOptions: ReadonlySet<string>;
  onEmpty?(): void;
  warn(message: Hints): void;
  hint(message: Hints): void;
}

export function shownColumns(
  resultColumns: readonly Column[] | undefined,
  { fields, commandColumns, forPerson }: RenderOptions,
): Column[] {
  if (fields) return fields.map((field) => ({ header: field, paths: [field] }));
  return columnsFor(resultColumns ?? commandColumns, forPerson ? 'terminal' : 'pipe');
}

export const screenOf = async (
  stdout: Sink,
  { color, now, links, glyphs, redactor, hint }: RenderOptions,
): Promise<Screen> => ({
  width: stdout.width,
  style: await createStyle(color),
  glyphs,
  now,
  links,
  redact: redactor.redact,
  hint,
});
