import type { JsonObject } from '../../lib/json.ts';
import { interruptibleIfLarge, type Page } from '../../lib/page.ts';
import { type Column, columnsFor } from '../column.ts';
import { columnText, tabSeparated } from '../fields.ts';
import type { Format, Output } from '../output.ts';
import type { ListLayout } from '../result.ts';
import type { Screen } from '../screen.ts';
import type { Redactor, Sink } from '../streams.ts';
import { createStyle } from '../style.ts';

export interface RenderOptions extends Format {
  commandColumns: readonly Column[];
  now: number;
  /** A cell is redacted before it is cut, because `redact` does not find a part of the token. */
  redactor: Redactor;
  interruptibleUnlessWritten: Output['interruptibleUnlessWritten'];
  givenOptions: ReadonlySet<string>;
  onEmpty?(): void;
  warn(message: string): void;
  hint(message: string): void;
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

export const tabLine = (record: JsonObject, columns: readonly Column[], { redact }: Redactor): string =>
  `${columns.map((column) => tabSeparated(redact(columnText(record, column)))).join('\t')}\n`;

export const tabLines = (page: Page, columns: readonly Column[], redactor: Redactor): Promise<string> =>
  interruptibleIfLarge(page, () => page.records.map((record) => tabLine(record, columns, redactor)).join(''));

export async function formatRecords(
  records: readonly JsonObject[],
  { columns: resultColumns, inBlocks, total }: ListLayout,
  screen: Screen,
  options: RenderOptions,
): Promise<string> {
  const { fields, givenOptions } = options;
  const columns = shownColumns(resultColumns, options);
  if (inBlocks && !fields) {
    const { formatBlocks } = await import('../record.ts');
    return formatBlocks(records, columns, screen);
  }
  const { formatTable } = await import('../table.ts');
  return formatTable(records, columns, screen, {
    givenOptions,
    userChoseColumns: fields !== undefined,
    total: fields ? undefined : total,
  });
}
