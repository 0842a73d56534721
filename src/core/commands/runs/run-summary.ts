import { type JsonValue, stringifyJson } from '../../lib/json.ts';

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

interface Group {
  val: string | null;
  version: JsonValue;
  runs: number;
  failed: number;
  durations: number[];
  starts: number[];
  startsOfFailed: number[];
}

/** From the first start of a run to the last. */
interface Range {
  first: number;
  last: number;
}

const createGroup = (val: string | null, version: JsonValue): Group => ({
  val,
  version,
  runs: 0,
  failed: 0,
  durations: [],
  starts: [],
  startsOfFailed: [],
});

/** Counts runs for each val and version, and all of them together. What fails most comes first. */
export function createRunSummary() {
  const groups = new Map<string, Group>();
  const together = createGroup('total', null);
  const range: Range = { first: Infinity, last: -Infinity };

  const groupOf = ({ valKey, valName, version }: SummarizedRun): Group => {
    const key = stringifyJson([valKey ?? null, version]);
    const group = groups.get(key) ?? createGroup(valName ?? null, version);
    groups.set(key, group);
    return group;
  };

  return {
    add(run: SummarizedRun): void {
      const { failed, durationMs, startedAt } = run;
      for (const group of [groupOf(run), together]) {
        group.runs++;
        if (failed) group.failed++;
        if (durationMs !== undefined) group.durations.push(durationMs);
        if (startedAt !== undefined) group.starts.push(startedAt);
        if (startedAt !== undefined && failed) group.startsOfFailed.push(startedAt);
      }
      range.first = Math.min(range.first, startedAt ?? Infinity);
      range.last = Math.max(range.last, startedAt ?? -Infinity);
    },
    rows: (most = groups.size): RunSummary[] =>
      [...groups.values()]
        .sort((a, b) => b.failed - a.failed || b.runs - a.runs)
        .slice(0, most)
        .map((group) => rowOf(group, range)),
    rowCount: (): number => groups.size,
    total: (): RunSummary => rowOf(together, range),
  };
}

function rowOf(group: Group, range: Range): RunSummary {
  const { val, version, runs, failed } = group;
  const sorted = Float64Array.from(group.durations).sort();
  const quantile = (part: number) => sorted[Math.max(1, Math.ceil(part * sorted.length)) - 1] ?? null;
  return {
    ...{ val, version, runs, failed, errorRate: failed / runs },
    ...{ p50Ms: quantile(0.5), p95Ms: quantile(0.95) },
    buckets: bucketsOf(group, range),
  };
}

const mostBuckets = 24;

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const lengths = [
  ...[1, 5, 15, 30].map((count) => count * second),
  ...[1, 5, 15, 30].map((count) => count * minute),
  ...[1, 3, 6, 12].map((count) => count * hour),
  day,
];

const earliestDateMs = -8.64e15;

/** All rows have the same buckets, which begin at multiples of their length. */
function bucketsOf({ starts, startsOfFailed }: Group, range: Range): RunSummary['buckets'] {
  if (range.first > range.last) return [];
  const length = bucketLength(range);
  const bucketOf = (moment: number) => Math.floor(moment / length);
  const first = bucketOf(range.first);
  const runs = countBy(starts, bucketOf);
  const failed = countBy(startsOfFailed, bucketOf);
  return Array.from({ length: bucketOf(range.last) - first + 1 }, (_, index) => ({
    from: new Date(Math.max(earliestDateMs, (first + index) * length)).toISOString(),
    runs: runs.get(first + index) ?? 0,
    failed: failed.get(first + index) ?? 0,
  }));
}

function bucketLength({ first, last }: Range): number {
  const isLongEnough = (length: number) =>
    Math.floor(last / length) - Math.floor(first / length) < mostBuckets;
  let length = lengths.find(isLongEnough) ?? 2 * day;
  while (!isLongEnough(length)) length *= 2;
  return length;
}

function countBy(moments: readonly number[], bucketOf: (moment: number) => number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const bucket of moments.map(bucketOf)) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  return counts;
}
