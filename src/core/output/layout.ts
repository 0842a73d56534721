export const gap = '  ';

const minWidth = 4;

/** A column with the width that it wants, and then with the one that it gets. */
export interface Sized {
  width: number;
  /** It is not made narrower than this while a column is left that may be dropped. */
  readableWidth: number;
  neverCut: boolean;
  droppable: number | undefined;
}

/**
 * Drops the droppable columns one by one, until the others are wide enough to read. If that is not enough, makes texts
 * narrower. Returns undefined if the columns do not fit even then.
 */
export function layOut<Item extends Sized>(items: readonly Item[], width: number): Item[] | undefined {
  const fitted = fitInto(items, width, ({ readableWidth }) => readableWidth);
  if (fitted !== undefined) return fitted;
  const next = nextToDrop(items);
  if (next === undefined) return fitInto(items, width, () => minWidth);
  const others = items.filter((item) => item !== next);
  return layOut(others, width);
}

function nextToDrop<Item extends Sized>(items: readonly Item[]): Item | undefined {
  const rank = ({ droppable = Infinity }: Sized) => droppable;
  const lowest = Math.min(...items.map(rank));
  return lowest === Infinity ? undefined : items.find((item) => rank(item) === lowest);
}

/** Makes the widest columns narrower first. Returns undefined if the columns do not fit even with their least widths. */
function fitInto<Item extends Sized>(
  items: readonly Item[],
  width: number,
  leastWidth: (item: Item) => number,
): Item[] | undefined {
  const fitted = items.map((item) => ({ ...item }));
  const usedWidth = fitted.reduce((sum, item) => sum + item.width, gap.length * (fitted.length - 1));
  for (let excess = usedWidth - width; excess > 0; excess--) {
    const [widest] = fitted
      .filter((item) => !item.neverCut && item.width > leastWidth(item))
      .sort((a, b) => b.width - a.width);
    if (widest === undefined) return undefined;
    widest.width -= 1;
  }
  return fitted;
}
