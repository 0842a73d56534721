// Which of two histories went on from the other. Codes are numbers here; equal numbers are the same code.

export type Order =
  /** `comesBack`: the val had the file's code between two times of its present code. */
  | { kind: 'changed here'; comesBack: boolean }
  | { kind: 'changed there' }
  | { kind: 'no shared code' }
  /** Neither has all that the other had, and the val had the file's code. */
  | { kind: 'older code' }
  /** Both went on, the file from the code `base`. `since` are the codes that the val had from there on. */
  | { kind: 'contents'; base: number; since: readonly number[] };

/** Oldest first: the val's versions, and the codes that the file had. The last ones are what both sides have now. */
export function orderOf(allVersions: readonly number[], allCodes: readonly number[]): Order {
  const versions = withoutRepeats(allVersions);
  const present = versions.at(-1);
  const here = allCodes.at(-1);
  const file = withoutRepeats(
    allCodes.filter((code, at) => at === allCodes.length - 1 || versions.includes(code)),
  );
  const filePast = file.slice(0, -1);
  const earlier = versions.slice(0, -1);
  const shared = versions.filter((code, at) => at === earlier.length || file.includes(code));
  if (hasInOrder(filePast, shared)) {
    const sincePresent = earlier.slice(versions.indexOf(present ?? Number.NaN));
    return { kind: 'changed here', comesBack: sincePresent.some((code) => code === here) };
  }
  if (hasInOrder(earlier, file)) return { kind: 'changed there' };
  const base = filePast.at(-1);
  if (base === undefined || here === undefined) return { kind: 'no shared code' };
  // What the service went back from is not sent again.
  if (versions.includes(here)) return { kind: 'older code' };
  const since = new Set(earlier.slice(versions.indexOf(base)));
  return { kind: 'contents', base, since: [...since].filter((code) => code !== present) };
}

const withoutRepeats = (codes: readonly number[]): number[] =>
  codes.filter((code, at) => code !== codes[at - 1]);

function hasInOrder(codes: readonly number[], wanted: readonly number[]): boolean {
  let found = 0;
  for (const code of codes) if (code === wanted[found]) found += 1;
  return found === wanted.length;
}
