import { diffArrays } from 'diff';

export interface Change {
  start: number;
  end: number;
  lines: string[];
}

export const mostEdits = 2_000;

export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

export function changesBetween(before: string[], after: string[]): Change[] {
  const changes: Change[] = [];
  let start = 0;
  let from = 0;
  const addUpTo = (end: number, to: number) => {
    if (start < end || from < to) changes.push({ start, end, lines: after.slice(from, to) });
  };
  for (const [inBefore, inAfter] of unchangedLines(before, after)) {
    addUpTo(inBefore, inAfter);
    start = inBefore + 1;
    from = inAfter + 1;
  }
  addUpTo(before.length, after.length);
  return changes;
}

type LinePair = readonly [inBefore: number, inAfter: number];

function unchangedLines(before: string[], after: string[]): LinePair[] {
  const old = shared(before, new Set(after));
  const now = shared(after, new Set(before));
  const parts = diffArrays(old.lines, now.lines, { maxEditLength: mostEdits });
  const both: LinePair[] = [];
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
