// Counts over time as a line of small bars, a bucket each.
import { isObject, type JsonValue } from '../lib/json.ts';
import type { Style } from './style.ts';

const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

interface Bar {
  runs: number;
  failed: number;
}

/** No more of them than this; neighbours share one where there are more buckets. */
export function drawBars(buckets: JsonValue | undefined, width: number, style: Style): string {
  const bars = barsOf(buckets, width);
  const most = Math.max(...bars.map(({ runs }) => runs));
  return bars
    .map(({ runs, failed }) => {
      const bar = runs === 0 ? ' ' : (heights[Math.ceil((runs / most) * heights.length) - 1] ?? '');
      return failed > 0 ? style.red(bar) : bar;
    })
    .join('');
}

function barsOf(buckets: JsonValue | undefined, width: number): Bar[] {
  const all = Array.isArray(buckets) ? buckets.filter(isObject) : [];
  const together = Math.max(1, Math.ceil(all.length / Math.max(1, width)));
  return Array.from({ length: Math.ceil(all.length / together) }, (_, index) => {
    const shared = all.slice(index * together, (index + 1) * together);
    const sum = (key: string) => shared.reduce((sum, bucket) => sum + (Number(bucket[key]) || 0), 0);
    return { runs: sum('runs'), failed: sum('failed') };
  });
}
