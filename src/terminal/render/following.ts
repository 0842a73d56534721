import type { Page } from '../../lib/page.ts';
import type { FollowingResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { formatRecords, tabLines } from './format-records.ts';
import { renderList } from './list.ts';
import { type RenderOptions, screenOf, shownColumns } from './options.ts';

export async function renderFollowing(
  result: FollowingResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { pages } = result;
  if (options.kind !== 'text') {
    return renderList({ kind: 'list', rows: pages }, stdout, { ...options, kind: 'ndjson' });
  }
  const format = await createFormatter(result, stdout, options);
  for await (const page of pages) await stdout.write(await format(page));
}

async function createFormatter(
  result: FollowingResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<(page: Page) => Promise<string>> {
  const columns = shownColumns(result.columns, options);
  if (!options.forPerson) return async (page) => tabLines(page, columns, options.redactor);
  const screen = await screenOf(stdout, options);
  if (result.inBlocks) {
    return async ({ records }) => `${await formatRecords(records, result, screen, options)}\n`;
  }
  const { createGrowingTable } = await import('../table.ts');
  const addRows = createGrowingTable(columns, screen, options);
  return ({ records }) => addRows(records);
}
