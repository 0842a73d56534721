import { isObject, type JsonValue } from '../lib/json.ts';
import { type Glyphs, plain, type Style, unicode } from './style.ts';
import { clockTime, wholeDuration } from './times.ts';

const shortestBucketMs = 1_000;

interface Bar {
  runs: number;
  failed: number;
}

export function drawBars(
  buckets: JsonValue | undefined,
  {
    width = Infinity,
    style = plain,
    glyphs = unicode,
  }: { width?: number; style?: Style; glyphs?: Glyphs } = {},
): string {
  const heights = glyphs.bars;
  const bars = barsOf(buckets, width);
  const most = Math.max(...bars.map(({ runs }) => runs));
  return bars
    .map(({ runs, failed }) => {
      const bar = runs === 0 ? ' ' : (heights[Math.ceil((runs / most) * heights.length) - 1] ?? '');
      return failed > 0 ? style.red(bar) : bar;
    })
    .join('');
}

export function describeBars(buckets: JsonValue | undefined, width: number, now: number): string | undefined {
  const starts = bucketsOf(buckets).map(({ from }) => `${from}`);
  const [first, second] = starts;
  if (first === undefined) return undefined;
  const range = `Runs from ${clockTime(first, now)} on`;
  if (width === 0) return `${range}.`;
  const length = second === undefined ? shortestBucketMs : Date.parse(second) - Date.parse(first);
  return `${range}; a bar is ${wholeDuration(length * bucketsPerBar(starts.length, width))}.`;
}

const bucketsOf = (buckets: JsonValue | undefined) =>
  Array.isArray(buckets) ? buckets.filter(isObject) : [];

const bucketsPerBar = (buckets: number, width: number): number =>
  Math.max(1, Math.ceil(buckets / Math.max(1, width)));

function barsOf(buckets: JsonValue | undefined, width: number): Bar[] {
  const all = bucketsOf(buckets);
  const perBar = bucketsPerBar(all.length, width);
  return Array.from({ length: Math.ceil(all.length / perBar) }, (_, index) => {
    const shared = all.slice(index * perBar, (index + 1) * perBar);
    const sum = (key: string) => shared.reduce((sum, bucket) => sum + (Number(bucket[key]) || 0), 0);
    return { runs: sum('runs'), failed: sum('failed') };
  });
}
