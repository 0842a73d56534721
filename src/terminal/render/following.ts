// Records on stdout as they arrive: a list without an end, or one event at a time.
import type { JsonObject } from '../../lib/json.ts';
import { interruptibleIfLarge } from '../../lib/page.ts';
import { visible } from '../../lib/visible.ts';
import type { Column } from '../column.ts';
import { cellText, columnValue } from '../fields.ts';
import type { FollowingResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { createStyle } from '../style.ts';
import { renderList } from './list.ts';
import { arrange, type RenderOptions, screenOf, shownColumns, tabLine } from './options.ts';

export async function renderFollowing(
  result: FollowingResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { pages } = result;
  if (options.kind !== 'text') {
    return renderList({ kind: 'list', rows: pages }, stdout, { ...options, kind: 'ndjson' });
  }
  const columns = shownColumns(result.columns, options);
  const append = options.screen ? await createAppend(result, stdout, options) : undefined;
  for await (const page of pages) {
    const lines = () => page.records.map((record) => tabLine(record, columns, options.redactor)).join('');
    await stdout.write(append ? await append(page.records) : await interruptibleIfLarge(page, lines));
  }
}

/** A table that grows keeps the widths of its columns. */
async function createAppend(
  result: FollowingResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<(records: readonly JsonObject[]) => Promise<string>> {
  const screen = await screenOf(stdout, options);
  if (result.inBlocks) {
    return async (records) => `${await arrange(records, result, screen, options)}\n`;
  }
  const { createGrowingTable } = await import('../table.ts');
  return createGrowingTable(shownColumns(result.columns, options), screen, options).append;
}

/** Writes one event as one line, for a command that runs until it is interrupted. */
export async function renderEvent(record: JsonObject, stdout: Sink, options: RenderOptions): Promise<void> {
  const { kind, fields, screen, columns, redactor } = options;
  if (kind === 'ndjson' || fields) return renderList({ kind: 'list', rows: [record] }, stdout, options);
  await stdout.write(screen ? await eventLine(record, options) : tabLine(record, columns, redactor));
}

async function eventLine(
  record: JsonObject,
  { columns, color, glyphs, redactor }: RenderOptions,
): Promise<string> {
  const style = await createStyle(color);
  const cell = (column: Column) => {
    const value = redactor.redact(cellText(columnValue(record, column)));
    const { text, tone } = column.present?.(value, record, glyphs) ?? { text: value };
    return tone === undefined ? visible(text) : style[tone](visible(text));
  };
  const cells = columns.map(cell).filter((text) => text !== '');
  return `${cells.join('  ')}\n`;
}
