import type { JsonObject } from '../../lib/json.ts';
import { visible } from '../../lib/visible.ts';
import type { Column } from '../column.ts';
import { cellText, columnValue } from '../fields.ts';
import type { Sink } from '../streams.ts';
import { createStyle } from '../style.ts';
import { tabLine } from './format-records.ts';
import { renderList } from './list.ts';
import type { RenderOptions } from './options.ts';

export async function renderEvent(record: JsonObject, stdout: Sink, options: RenderOptions): Promise<void> {
  const { kind, fields, forPerson, commandColumns, redactor } = options;
  if (kind === 'ndjson' || fields) return renderList({ kind: 'list', rows: [record] }, stdout, options);
  const line = forPerson ? await eventLine(record, options) : tabLine(record, commandColumns, redactor);
  await stdout.write(line);
}

async function eventLine(
  record: JsonObject,
  { commandColumns, color, glyphs, redactor }: RenderOptions,
): Promise<string> {
  const style = await createStyle(color);
  const paintCell = (column: Column) => {
    const value = redactor.redact(cellText(columnValue(record, column)));
    if (column.present === undefined) return visible(value);
    const { text, tone } = column.present(value, record, glyphs);
    return tone === undefined ? visible(text) : style[tone](visible(text));
  };
  const cells = commandColumns.map(paintCell).filter((cell) => cell !== '');
  return `${cells.join('  ')}\n`;
}
