import { type JsonValue, stringifyJson } from '../json.ts';
import { createDurations } from './durations.ts';
import { createTimeline } from './timeline.ts';

export interface SummarizedRun {
  /** What runs of one val have in common. */
  valKey: string | undefined;
  valName: string | undefined;
  version: JsonValue;
  failed: boolean;
  startedAt: number | undefined;
  durationMs: number | undefined;
}

export type RunSummary = {
  val: string | null;
  version: JsonValue;
  runs: number;
  failed: number;
  errorRate: number;
  p50Ms: number | null;
  p95Ms: number | null;
  buckets: { from: string; runs: number; failed: number }[];
};

/** Counts runs for each val and version, and all of them together. What fails most comes first. */
export function createRunSummary() {
  const timeline = createTimeline();
  const createGroup = (val: string | null, version: JsonValue) => ({
    val,
    version,
    runs: 0,
    failed: 0,
    durations: createDurations(),
    series: timeline.add(),
  });
  type Group = ReturnType<typeof createGroup>;
  const groups = new Map<string, Group>();
  const together = createGroup('total', null);

  const groupOf = ({ valKey, valName, version }: SummarizedRun): Group => {
    const key = stringifyJson([valKey ?? null, version]);
    const group = groups.get(key) ?? createGroup(valName ?? null, version);
    groups.set(key, group);
    return group;
  };

  const rowOf = ({ durations, series, ...counts }: Group): RunSummary => ({
    ...counts,
    errorRate: counts.failed / counts.runs,
    p50Ms: durations.quantile(0.5) ?? null,
    p95Ms: durations.quantile(0.95) ?? null,
    buckets: timeline
      .bucketsOf(series)
      .map(({ from, runs, failed }) => ({ from: new Date(from).toISOString(), runs, failed })),
  });

  return {
    add(run: SummarizedRun): void {
      for (const group of [groupOf(run), together]) {
        group.runs++;
        if (run.failed) group.failed++;
        if (run.durationMs !== undefined) group.durations.add(run.durationMs);
        if (run.startedAt !== undefined) timeline.count(group.series, run.startedAt, run.failed);
      }
    },
    rows: (most = groups.size): RunSummary[] =>
      [...groups.values()]
        .sort((a, b) => b.failed - a.failed || b.runs - a.runs)
        .slice(0, most)
        .map(rowOf),
    rowCount: (): number => groups.size,
    total: (): RunSummary => rowOf(together),
  };
}
