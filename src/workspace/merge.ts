import { type Change, changesBetween, linesOf } from '../core/files/lines.ts';

export interface Merged {
  text: string;
  conflicts: number;
}

const markers = { here: '<<<<<<< here', between: '=======', there: '>>>>>>> there' };

export function merge(base: string | undefined, here: string, there: string): Merged {
  if (base === undefined) return mergeWithoutBase(linesOf(here), linesOf(there));
  const baseLines = linesOf(base);
  const hereChanges = changesBetween(baseLines, linesOf(here));
  const thereChanges = changesBetween(baseLines, linesOf(there));
  const merged: string[] = [];
  let conflicts = 0;
  let position = 0;
  for (const { start, end, ofHere, ofThere } of regions(hereChanges, thereChanges)) {
    merged.push(textOf(baseLines.slice(position, start)));
    const hereLines = applied(baseLines, start, end, ofHere);
    const thereLines = applied(baseLines, start, end, ofThere);
    if (ofThere.length === 0 || textOf(hereLines) === textOf(thereLines)) merged.push(textOf(hereLines));
    else if (ofHere.length === 0) merged.push(textOf(thereLines));
    else {
      conflicts += 1;
      merged.push(textOf(withMarkers(hereLines, thereLines)));
    }
    position = end;
  }
  merged.push(textOf(baseLines.slice(position)));
  return { text: textOf(merged), conflicts };
}

function mergeWithoutBase(here: string[], there: string[]): Merged {
  const changes = changesBetween(here, there);
  const merged: string[] = [];
  let position = 0;
  for (const { start, end, lines } of changes) {
    merged.push(textOf(here.slice(position, start)), textOf(withMarkers(here.slice(start, end), lines)));
    position = end;
  }
  merged.push(textOf(here.slice(position)));
  return { text: textOf(merged), conflicts: changes.length };
}

const textOf = (lines: readonly string[]): string => lines.join('');

/**
 * The lines that git and `vals pull --merge` write around a conflict, in the order in which they stand in a file.
 * If both sides renamed and changed the file, git writes eight and more of each sign.
 */
const markerLines = [/^<{7,} /m, /^={7,}\r?$/m, /^>{7,} /m];

/** Does not split the text, because the lines of a large file would fill the memory. */
export function hasConflictMarkers(text: string): boolean {
  let rest = text;
  return markerLines.every((line) => {
    const at = rest.search(line);
    rest = rest.slice(at + 1);
    return at >= 0;
  });
}

interface Region {
  start: number;
  end: number;
  ofHere: Change[];
  ofThere: Change[];
}

function regions(here: readonly Change[], there: readonly Change[]): Region[] {
  const all = [
    ...here.map((change) => ({ change, isHere: true })),
    ...there.map((change) => ({ change, isHere: false })),
  ].sort((a, b) => a.change.start - b.change.start || a.change.end - b.change.end);
  const found: Region[] = [];
  for (const { change, isHere } of all) {
    let region = found.at(-1);
    if (region === undefined || change.start > region.end) {
      region = { start: change.start, end: change.end, ofHere: [], ofThere: [] };
      found.push(region);
    }
    region.end = Math.max(region.end, change.end);
    (isHere ? region.ofHere : region.ofThere).push(change);
  }
  return found;
}

function applied(base: readonly string[], start: number, end: number, changes: readonly Change[]): string[] {
  const parts: string[][] = [];
  let position = start;
  for (const change of changes) {
    parts.push(base.slice(position, change.start), change.lines);
    position = change.end;
  }
  return [...parts, base.slice(position, end)].flat();
}

function withMarkers(here: readonly string[], there: readonly string[]): string[] {
  const lineEnd = [...here, ...there].some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n';
  const ended = (lines: readonly string[]) =>
    lines.map((line) => (line.endsWith('\n') ? line : `${line}${lineEnd}`));
  return [
    `${markers.here}${lineEnd}`,
    ...ended(here),
    `${markers.between}${lineEnd}`,
    ...ended(there),
    `${markers.there}${lineEnd}`,
  ];
}
