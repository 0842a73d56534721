import { readRun } from '../../api/run-record.ts';
import type { Page } from '../../lib/json.ts';
import { createRunSummary, type RunSummary } from '../../lib/run-summary/run-summary.ts';

export interface SummaryOptions {
  defaultVal?: string;
  onRead(runs: number): void;
}

export async function summarize(
  pages: AsyncIterable<Page>,
  { defaultVal, onRead }: SummaryOptions,
): Promise<{ rows: RunSummary[]; total: RunSummary }> {
  const summary = createRunSummary();
  let count = 0;
  for await (const { records } of pages) {
    for (const record of records) {
      const { valIdOrName, valNameOrId, ...run } = readRun(record);
      summary.add({ ...run, valKey: valIdOrName ?? defaultVal, valName: valNameOrId ?? defaultVal });
    }
    count += records.length;
    onRead(count);
  }
  return { rows: summary.rows(), total: summary.total() };
}
