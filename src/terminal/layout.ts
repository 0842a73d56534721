import { type Column, isNeverCut } from './column.ts';

export const gap = '  ';

const readableWidth = 20;
const fewestBars = 8;
const minWidth = 4;

export interface Measured {
  column: Column;
  wantedWidth: number;
}

export type Fitted<Item> = Item & { width: number };

export interface Layout<Item> {
  shown: Fitted<Item>[];
  leftOut: number;
}

/**
 * Drops the droppable columns one by one, until the others fit with a readable width. If that is not enough, makes the
 * columns narrower, and then leaves out the last columns.
 */
export function layOut<Item extends Measured>(items: readonly Item[], width: number): Layout<Item> {
  const shown = fitInto(items, width, readable);
  if (shown !== undefined) return { shown, leftOut: 0 };
  const next = nextToDrop(items);
  if (next === undefined) return fitFirst(items, width);
  const others = items.filter((item) => item !== next);
  return layOut(others, width);
}

function fitFirst<Item extends Measured>(items: readonly Item[], width: number): Layout<Item> {
  for (let leftOut = 0; leftOut < items.length; leftOut++) {
    const first = items.slice(0, items.length - leftOut);
    const shown = fitInto(first, width, narrow) ?? fitInto(first, width, narrowest);
    if (shown !== undefined) return { shown, leftOut };
  }
  const shown = items.slice(0, 1).map((item) => ({ ...item, width: Math.max(1, width) }));
  return { shown, leftOut: items.length - 1 };
}

const readable = ({ column, wantedWidth }: Measured): number =>
  isNeverCut(column)
    ? wantedWidth
    : Math.min(wantedWidth, column.kind === 'chart' ? fewestBars : readableWidth);
const narrow = (item: Measured): number => (isNeverCut(item.column) ? item.wantedWidth : narrowest(item));
const narrowest = ({ wantedWidth }: Measured): number => Math.min(wantedWidth, minWidth);

function nextToDrop<Item extends Measured>(items: readonly Item[]): Item | undefined {
  const rank = ({ column }: Measured) => column.droppable ?? Infinity;
  const lowest = Math.min(...items.map(rank));
  return lowest === Infinity ? undefined : items.find((item) => rank(item) === lowest);
}

/** Makes the widest columns narrower first. Returns undefined if the columns do not fit even with their least widths. */
function fitInto<Item extends Measured>(
  items: readonly Item[],
  width: number,
  leastWidth: (item: Measured) => number,
): Fitted<Item>[] | undefined {
  const fitted = items.map((item) => ({ ...item, width: item.wantedWidth }));
  const usedWidth = fitted.reduce((sum, item) => sum + item.width, gap.length * (fitted.length - 1));
  for (let excess = usedWidth - width; excess > 0; excess--) {
    let widest: Fitted<Item> | undefined;
    for (const item of fitted) {
      if (item.width > leastWidth(item) && item.width > (widest?.width ?? 0)) widest = item;
    }
    if (widest === undefined) return undefined;
    widest.width -= 1;
  }
  return fitted;
}
