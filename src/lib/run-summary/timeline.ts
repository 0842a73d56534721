interface Bucket {
  from: number;
  runs: number;
  failed: number;
}

type Series = Map<number, { runs: number; failed: number }>;

export interface Timeline {
  add(): Series;
  count(series: Series, moment: number, failed: boolean): void;
  bucketsOf(series: Series): Bucket[];
}

const mostBuckets = 24;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Each length must be a multiple of the previous length, because short buckets are merged into longer buckets. */
const lengths = [
  ...[1, 5, 15, 30].map((count) => count * second),
  ...[1, 5, 15, 30].map((count) => count * minute),
  ...[1, 3, 6, 12].map((count) => count * hour),
  day,
];

const earliestDateMs = -8.64e15;

export function createTimeline(): Timeline {
  const rows: Series[] = [];
  let length = second;
  let first = Infinity;
  let last = -Infinity;

  function lengthen(): void {
    const longer = lengths.find((each) => each > length) ?? 2 * length;
    const within = (bucket: number) => Math.floor((bucket * length) / longer);
    for (const series of rows) {
      const before = [...series];
      series.clear();
      for (const [bucket, { runs, failed }] of before) put(series, within(bucket), runs, failed);
    }
    first = within(first);
    last = within(last);
    length = longer;
  }

  return {
    add() {
      const series: Series = new Map();
      rows.push(series);
      return series;
    },

    count(series, moment, failed) {
      const bucket = Math.floor(moment / length);
      put(series, bucket, 1, failed ? 1 : 0);
      first = Math.min(first, bucket);
      last = Math.max(last, bucket);
      while (last - first >= mostBuckets) lengthen();
    },

    bucketsOf(series) {
      const buckets: Bucket[] = [];
      for (let bucket = first; bucket <= last; bucket++) {
        const counts = series.get(bucket) ?? { runs: 0, failed: 0 };
        buckets.push({ from: Math.max(earliestDateMs, bucket * length), ...counts });
      }
      return buckets;
    },
  };
}

function put(series: Series, bucket: number, runs: number, failed: number): void {
  const counts = series.get(bucket);
  if (counts === undefined) {
    series.set(bucket, { runs, failed });
  } else {
    counts.runs += runs;
    counts.failed += failed;
  }
}
