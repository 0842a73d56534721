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
  const here = file.at(-1);
  const common = endsOfLongest(versions, file);
  if (common.length === 0) return { kind: 'conflict', base: undefined };
  const wentOnThere = common.every(([inVersions]) => inVersions < versions.length - 1);
  const wentOnHere = common.every(([, inFile]) => inFile < file.length - 1);
  if (!wentOnHere) return wentOnThere ? { kind: 'changed there' } : { kind: 'conflict', base: here };
  const isSetSince = histories.isSetSince ?? hasInOrder(file.slice(0, -1), versions);
  if (wasSetBackFrom(here, versions) && !isSetSince) return { kind: 'conflict', base: here };
  const places = common.map(([inVersions]) => inVersions);
  const since = new Set(versions.slice(Math.min(...places), -1));
  return { kind: 'contents', since: [...since], base: versions[Math.max(...places)] ?? Number.NaN };
}

/** The service had its present code, then this one, and now the present one again. */
function wasSetBackFrom(code: number | undefined, versions: readonly number[]): boolean {
  const firstTime = versions.indexOf(versions.at(-1) ?? Number.NaN);
  return versions.indexOf(code ?? Number.NaN, firstTime) >= 0;
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
