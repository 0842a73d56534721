// A list without an end on stdout: its records are written as they come.
import type { JsonObject } from '../../lib/json.ts';
import { workOn } from '../../lib/rows.ts';
import type { FollowingResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { arrange, renderList } from './list.ts';
import { type RenderOptions, screenOf, shownColumns, tabLine } from './options.ts';

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
  for await (const rows of pages) {
    const lines = () => rows.records.map((record) => tabLine(record, columns, options.redactor)).join('');
    await stdout.write(append ? await append(rows.records) : await workOn(rows, lines));
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
