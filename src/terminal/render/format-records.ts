import type { JsonObject } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import type { Column } from '../column.ts';
import { columnText, tabCell } from '../fields.ts';
import type { ListLayout } from '../result.ts';
import type { Screen } from '../screen.ts';
import type { Redactor } from '../streams.ts';
import { type RenderOptions, shownColumns } from './options.ts';

export function tabLine(record: JsonObject, columns: readonly Column[], { redact }: Redactor): string {
  const cells = columns.map((column) => tabCell(redact(columnText(record, column))));
  return `${cells.join('\t')}\n`;
}

export const tabLines = ({ records }: Page, columns: readonly Column[], redactor: Redactor): string =>
  records.map((record) => tabLine(record, columns, redactor)).join('');

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
