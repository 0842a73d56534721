// Splits texts into lines, each with its line end, and finds the changes between two texts.
import { diffArrays } from 'diff';

/** The new `lines` replace the old lines from `start` up to, but not including, `end`. */
export interface Change {
  start: number;
  end: number;
  lines: string[];
}

/**
 * If two texts differ by more edits than this, they have almost nothing in common, and comparing them further would
 * take too long.
 */
export const mostEdits = 2_000;

export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

export function changesBetween(before: string[], after: string[]): Change[] {
  const changes: Change[] = [];
  let start = 0;
  let from = 0;
  const addUpTo = (end: number, to: number) => {
    if (start < end || from < to) changes.push({ start, end, lines: after.slice(from, to) });
  };
  for (const [same, there] of linesInBoth(before, after)) {
    addUpTo(same, there);
    start = same + 1;
    from = there + 1;
  }
  addUpTo(before.length, after.length);
  return changes;
}

/**
 * Finds the unchanged lines. Each pair contains the position of one line in `before` and in `after`. The result is
 * empty if finding the lines would take too long.
 */
function linesInBoth(before: string[], after: string[]): (readonly [number, number])[] {
  // A line that only one text contains is always an edit. Without such lines, the comparison is much shorter.
  const old = shared(before, new Set(after));
  const now = shared(after, new Set(before));
  const parts = diffArrays(old.lines, now.lines, { maxEditLength: mostEdits });
  const both: (readonly [number, number])[] = [];
  let oldAt = 0;
  let nowAt = 0;
  for (const { added, removed, count } of parts ?? []) {
    if (!added && !removed) {
      for (let index = 0; index < count; index++)
        both.push([old.places[oldAt + index] as number, now.places[nowAt + index] as number]);
    }
    if (!added) oldAt += count;
    if (!removed) nowAt += count;
  }
  return both;
}

function shared(lines: readonly string[], others: ReadonlySet<string>) {
  const found = [...lines.entries()].filter(([, line]) => others.has(line));
  return { places: found.map(([place]) => place), lines: found.map(([, line]) => line) };
}
