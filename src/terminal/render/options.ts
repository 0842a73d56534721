// What every renderer needs to know, and the columns and screen that follow from it.
import type { JsonObject } from '../../lib/json.ts';
import { type Column, columnsFor } from '../column.ts';
import { columnText, tabSeparated } from '../fields.ts';
import type { Format } from '../output.ts';
import type { Screen } from '../screen.ts';
import type { Redactor, Sink } from '../streams.ts';
import { createStyle } from '../style.ts';

export interface RenderOptions extends Format {
  /** The command's own columns. */
  columns: readonly Column[];
  now: number;
  /** Takes the token out of a cell before it is escaped or cut. */
  redactor: Redactor;
  /** Runs work that a signal may end, unless something was written to the service that has to be reported first. */
  endable<T>(work: () => T | Promise<T>): Promise<T>;
  /** The keys of the options and arguments that were given. */
  given: ReadonlySet<string>;
  /** Called if a list has no records. */
  onEmpty?(): void;
  warn(message: string): void;
  hint(message: string): void;
}

/** The columns to show: those of --fields, else those of the result, else the command's own. */
export function shownColumns(
  columns: readonly Column[] | undefined,
  { fields, screen, ...options }: RenderOptions,
): Column[] {
  if (fields) return fields.map((field) => ({ header: field, paths: [field] }));
  return columnsFor(columns ?? options.columns, screen ? 'terminal' : 'pipe');
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

export const tabLine = (record: JsonObject, columns: readonly Column[], { redact }: Redactor): string =>
  `${columns.map((column) => tabSeparated(redact(columnText(record, column)))).join('\t')}\n`;
