export const gap = '  ';

/** A text is not cut below this width while a column is left that may be dropped. */
const readableWidth = 20;
const minWidth = 4;

export interface Measured {
  wantedWidth: number;
  neverCut: boolean;
  droppable: number | undefined;
}

export type Fitted<Item> = Item & { width: number };

/**
 * Drops the droppable columns one by one, until the others fit with a readable width. If that is not enough, makes texts
 * narrower. Returns undefined if the columns do not fit even then.
 */
export function layOut<Item extends Measured>(
  items: readonly Item[],
  width: number,
): Fitted<Item>[] | undefined {
  const shown = fitInto(items, width, readable);
  if (shown !== undefined) return shown;
  const next = nextToDrop(items);
  return next === undefined
    ? fitInto(items, width, narrow)
    : layOut(
        items.filter((item) => item !== next),
        width,
      );
}

const readable = ({ wantedWidth, neverCut }: Measured): number =>
  neverCut ? wantedWidth : Math.min(wantedWidth, readableWidth);

const narrow = ({ wantedWidth, neverCut }: Measured): number =>
  neverCut ? wantedWidth : Math.min(wantedWidth, minWidth);

function nextToDrop<Item extends Measured>(items: readonly Item[]): Item | undefined {
  const rank = ({ droppable = Infinity }: Measured) => droppable;
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
