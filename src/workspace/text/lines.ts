// Texts as lines, each with its own end, and what changed between two such texts.
import { diffArrays } from 'diff';

/** Lines from `start` up to `end` were replaced by others. */
export interface Change {
  start: number;
  end: number;
  lines: string[];
}

/** Comparing texts that have next to nothing in common takes long and tells nothing. */
export const mostEdits = 2_000;

export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

export function changesBetween(before: string[], after: string[]): Change[] {
  const parts = diffArrays(before, after, { maxEditLength: mostEdits });
  if (parts === undefined) return [{ start: 0, end: before.length, lines: after }];
  const changes: Change[] = [];
  let position = 0;
  let current: Change | undefined;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      position += value.length;
      current = undefined;
      continue;
    }
    if (current === undefined) {
      current = { start: position, end: position, lines: [] };
      changes.push(current);
    }
    if (added) {
      current.lines.push(...value);
    } else {
      position += value.length;
      current.end = position;
    }
  }
  return changes;
}
