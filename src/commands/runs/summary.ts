import { readRun } from '../../api/run-record.ts';
import { type JsonObject, type JsonValue, type Page, stringifyJson } from '../../lib/json.ts';
import { createDurations } from './durations.ts';
import { createTimeline } from './timeline.ts';

export interface SummaryOptions {
  defaultVal?: string;
  onRead(runs: number): void;
}

export async function summarize(
  pages: AsyncIterable<Page>,
  { defaultVal, onRead }: SummaryOptions,
): Promise<{ rows: JsonObject[]; total: JsonObject }> {
  const timeline = createTimeline();
  const groups = new Map<string, Group>();
  let total = 0;

  const createGroup = (name: string | null, version: JsonValue) => ({
    val: name,
    version,
    runs: 0,
    failed: 0,
    durations: createDurations(),
    series: timeline.add(),
  });
  type Group = ReturnType<typeof createGroup>;

  function groupOf(valKey: string | undefined, name: string | undefined, version: JsonValue): Group {
    const key = stringifyJson([valKey ?? null, version]);
    let group = groups.get(key);
    if (group === undefined) {
      group = createGroup(name ?? null, version);
      groups.set(key, group);
    }
    return group;
  }

  const together = createGroup('total', null);

  for await (const { records } of pages) {
    for (const record of records) {
      const run = readRun(record);
      for (const group of [
        groupOf(run.valIdOrName ?? defaultVal, run.valNameOrId ?? defaultVal, run.version),
        together,
      ]) {
        group.runs++;
        if (run.failed) group.failed++;
        if (run.durationMs !== undefined) group.durations.add(run.durationMs);
        if (run.startedAt !== undefined) timeline.count(group.series, run.startedAt, run.failed);
      }
    }
    total += records.length;
    onRead(total);
  }

  const rowOf = ({ val, version, runs, failed, durations, series }: Group): JsonObject => ({
    val,
    version,
    runs,
    failed,
    errorRate: failed / runs,
    p50Ms: durations.quantile(0.5) ?? null,
    p95Ms: durations.quantile(0.95) ?? null,
    buckets: timeline
      .bucketsOf(series)
      .map(({ from, runs, failed }) => ({ from: new Date(from).toISOString(), runs, failed })),
  });
  const rows = [...groups.values()].sort((a, b) => b.runs - a.runs).map(rowOf);
  return { rows, total: rowOf(together) };
}
