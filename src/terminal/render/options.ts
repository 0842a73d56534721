// The options of every renderer, and the columns, screen and layout that follow from them.
import type { JsonObject } from '../../lib/json.ts';
import { type Column, columnsFor } from '../column.ts';
import { columnText, tabSeparated } from '../fields.ts';
import type { Format, Output } from '../output.ts';
import type { ListLayout } from '../result.ts';
import type { Screen } from '../screen.ts';
import type { Redactor, Sink } from '../streams.ts';
import { createStyle } from '../style.ts';

export interface RenderOptions extends Format {
  /** The columns that the command defines. */
  columns: readonly Column[];
  now: number;
  /** Takes the token out of a cell before the cell is escaped or cut. */
  redactor: Redactor;
  interruptibleUnlessWritten: Output['interruptibleUnlessWritten'];
  /** The keys of the options and arguments that were given. */
  given: ReadonlySet<string>;
  onEmpty?(): void;
  warn(message: string): void;
  hint(message: string): void;
}

/** The first of these: the columns of --fields, the columns of the result, the columns of the command. */
export function shownColumns(
  resultColumns: readonly Column[] | undefined,
  { fields, columns, forPerson }: RenderOptions,
): Column[] {
  if (fields) return fields.map((field) => ({ header: field, paths: [field] }));
  return columnsFor(resultColumns ?? columns, forPerson ? 'terminal' : 'pipe');
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

/** The records for a terminal: as a table, or as blocks of lines. */
export async function arrange(
  records: readonly JsonObject[],
  { columns: resultColumns, inBlocks, total }: ListLayout,
  screen: Screen,
  options: RenderOptions,
): Promise<string> {
  const { fields, given } = options;
  const columns = shownColumns(resultColumns, options);
  if (inBlocks && !fields) {
    const { formatBlocks } = await import('../record.ts');
    return formatBlocks(records, columns, screen);
  }
  const { formatTable } = await import('../table.ts');
  return formatTable(records, columns, screen, {
    given,
    chosen: fields !== undefined,
    total: fields ? undefined : total,
  });
}
