// Which side went on after the last code that both share. Codes are numbers here; equal numbers are the same code.

export interface Histories {
  /** The val's versions, oldest first. The last one is the present code. */
  versions: readonly number[];
  /** What git brought to the file, oldest first, the last sync among it. The last one is the file as it is now. */
  file: readonly number[];
  /** A commit that was written after the present version was made brought the file's code. Undefined if the service tells no times. */
  isSetSince: boolean | undefined;
}

/** `contents`: the file went on. It is newer if it contains what the service changed since. */
export type Order =
  | { kind: 'changed there' }
  | { kind: 'conflict'; base: number | undefined }
  | { kind: 'contents'; since: readonly number[]; base: number };

export function orderOf(histories: Histories): Order {
  const versions = withoutRepeats(histories.versions);
  const file = withoutRepeats(histories.file);
  const present = versions.length - 1;
  const here = file.at(-1);
  const ends = endsOfLongest(versions, file);
  if (ends.length === 0) return { kind: 'conflict', base: undefined };
  const places = ends.map(([place]) => place);
  if (ends.some(([, place]) => place === file.length - 1)) {
    return places.includes(present) ? { kind: 'conflict', base: here } : { kind: 'changed there' };
  }
  const firstPresent = versions.indexOf(versions[present] ?? Number.NaN);
  const wentBack = versions.indexOf(here ?? Number.NaN, firstPresent) >= 0;
  const isSetSince = histories.isSetSince ?? hasInOrder(file.slice(0, -1), versions);
  if (wentBack && !isSetSince) return { kind: 'conflict', base: here };
  const since = new Set(versions.slice(Math.min(...places), present));
  return { kind: 'contents', since: [...since], base: versions[Math.max(...places)] ?? Number.NaN };
}

const withoutRepeats = (codes: readonly number[]): number[] =>
  codes.filter((code, place) => code !== codes[place - 1]);

/** Far more often each commit was deployed than several at once, so a file that had all versions went on from the last one. */
function hasInOrder(codes: readonly number[], wanted: readonly number[]): boolean {
  let found = 0;
  for (const code of codes) if (code === wanted[found]) found += 1;
  return found === wanted.length;
}

/** The places at which a longest common subsequence can end. */
function endsOfLongest(one: readonly number[], other: readonly number[]): [number, number][] {
  // lengths[i][j]: of the first i and the first j codes.
  const lengths = [other.map(() => 0).concat(0)];
  const ends = new Map<number, [number, number][]>();
  one.forEach((code, i) => {
    const above = lengths[i] ?? [];
    const row = [0];
    other.forEach((each, j) => {
      const length = each === code ? (above[j] ?? 0) + 1 : Math.max(above[j + 1] ?? 0, row[j] ?? 0);
      row.push(length);
      if (each === code) ends.set(length, [...(ends.get(length) ?? []), [i, j]]);
    });
    lengths.push(row);
  });
  return ends.get(Math.max(0, ...ends.keys())) ?? [];
}
