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
  const widthOf = (index: number) => wantedWidths[index] ?? 0;
  let shown = columns.map((_, index) => index);
  const fitted = (least: (index: number) => number) => {
    const room = width - gap.length * (shown.length - 1);
    return shrink(shown.map(widthOf), shown.map(least), room);
  };

  const leastReadable = (index: number): number => {
    const { neverCut, chart } = columns[index] ?? {};
    if (neverCut) return widthOf(index);
    return Math.min(widthOf(index), chart ? fewestBars : readableWidth);
  };
  for (;;) {
    const widths = fitted(leastReadable);
    if (widths !== undefined) return { shown, widths, missing: 0 };
    const next = nextToDrop(shown, columns);
    if (next === undefined) break;
    shown = shown.filter((index) => index !== next);
  }
  const least = (index: number) => Math.min(widthOf(index), minWidth);
  const before = shown.length;
  for (;;) {
    const widths =
      fitted((index) => (columns[index]?.neverCut ? widthOf(index) : least(index))) ?? fitted(least);
    if (widths !== undefined) return { shown, widths, missing: before - shown.length };
    if (shown.length === 1) return { shown, widths: [Math.max(1, width)], missing: before - 1 };
    shown = shown.slice(0, -1);
  }
}

function nextToDrop(shown: readonly number[], columns: readonly Column[]): number | undefined {
  const rank = (index: number) => columns[index]?.droppable ?? Infinity;
  const first = shown.reduce((a, b) => (rank(b) < rank(a) ? b : a));
  return rank(first) === Infinity ? undefined : first;
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
