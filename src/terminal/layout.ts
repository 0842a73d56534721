import type { Column } from './column.ts';

export const gap = '  ';

const readableWidth = 20;
const fewestBars = 8;
const minWidth = 4;

export interface Layout {
  shown: number[];
  widths: number[];
  missing: number;
}

export function layOut(columns: readonly Column[], wantedWidths: readonly number[], width: number): Layout {
  const wanted = (index: number) => wantedWidths[index] ?? 0;
  const neverCut = (index: number) => columns[index]?.neverCut === true;
  const readable = (index: number) =>
    Math.min(wanted(index), columns[index]?.chart ? fewestBars : readableWidth);
  const narrowest = (index: number) => Math.min(wanted(index), minWidth);
  const fitted = (shown: readonly number[], least: (index: number) => number) => {
    const room = width - gap.length * (shown.length - 1);
    return shrink(shown.map(wanted), shown.map(least), room);
  };
  const fitReadable = (shown: readonly number[]) =>
    fitted(shown, (index) => (neverCut(index) ? wanted(index) : readable(index)));
  const fitNarrow = (shown: readonly number[]) =>
    fitted(shown, (index) => (neverCut(index) ? wanted(index) : narrowest(index))) ??
    fitted(shown, narrowest);

  let shown = columns.map((_, index) => index);
  for (;;) {
    const widths = fitReadable(shown);
    if (widths !== undefined) return { shown, widths, missing: 0 };
    const next = nextToDrop(shown, columns);
    if (next === undefined) break;
    shown = shown.filter((index) => index !== next);
  }
  for (let missing = 0; missing < shown.length; missing++) {
    const first = shown.slice(0, shown.length - missing);
    const widths = fitNarrow(first);
    if (widths !== undefined) return { shown: first, widths, missing };
  }
  return { shown: shown.slice(0, 1), widths: [Math.max(1, width)], missing: shown.length - 1 };
}

function nextToDrop(shown: readonly number[], columns: readonly Column[]): number | undefined {
  const rank = (index: number) => columns[index]?.droppable ?? Infinity;
  const lowest = shown.reduce((a, b) => (rank(b) < rank(a) ? b : a));
  return rank(lowest) === Infinity ? undefined : lowest;
}

function shrink(wanted: readonly number[], least: readonly number[], room: number): number[] | undefined {
  const widths = [...wanted];
  let excess = widths.reduce((total, width) => total + width, 0) - room;
  for (; excess > 0; excess--) {
    let widest = -1;
    for (const [index, width] of widths.entries()) {
      if (width > (least[index] ?? 0) && width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
