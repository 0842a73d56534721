import { isObject, type JsonValue } from '../lib/json.ts';
import type { Glyphs } from './style.ts';

/** One character for each part of the time, the higher the more runs there were. */
export function sparkline(buckets: JsonValue | undefined, { bars }: Glyphs): string {
  const counts = Array.isArray(buckets) ? buckets.map(countOf) : [];
  const most = Math.max(...counts);
  return counts
    .map((count) => (count === 0 ? ' ' : (bars[Math.ceil((count / most) * bars.length) - 1] ?? '')))
    .join('');
}

const countOf = (bucket: JsonValue): number => (isObject(bucket) && Number(bucket.runs)) || 0;
