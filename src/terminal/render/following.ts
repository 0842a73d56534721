import type { JsonObject } from '../../lib/json.ts';
import type { FollowingResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { renderList } from './list.ts';
import { formatRecords, type RenderOptions, screenOf, shownColumns, tabLines } from './options.ts';

export async function renderFollowing(
  result: FollowingResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { pages } = result;
  if (options.kind !== 'text') {
    return renderList({ kind: 'list', rows: pages }, stdout, { ...options, kind: 'ndjson' });
  }
  if (options.forPerson) {
    const format = await createFormatter(result, stdout, options);
    for await (const { records } of pages) await stdout.write(await format(records));
    return;
  }
  const columns = shownColumns(result.columns, options);
  for await (const page of pages) await stdout.write(await tabLines(page, columns, options.redactor));
}

async function createFormatter(
  result: FollowingResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<(records: readonly JsonObject[]) => Promise<string>> {
  const screen = await screenOf(stdout, options);
  if (result.inBlocks) {
    return async (records) => `${await formatRecords(records, result, screen, options)}\n`;
  }
  const { createGrowingTable } = await import('../table.ts');
  return createGrowingTable(shownColumns(result.columns, options), screen, options);
}
