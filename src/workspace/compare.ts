// What happened to a val since both sides last had the same code: a pure function of three codes.

/** The words of `vals status`. */
export type Status =
  | 'unchanged'
  | 'changed here'
  | 'changed there'
  | 'conflict'
  | 'new'
  | 'missing here'
  | 'deleted there';

/**
 * Each code is undefined if it does not exist. If both sides have the same code, the val is unchanged, whatever the base
 * was. Without a base, as in a fresh checkout, the file counts as the newer side.
 */
export function compare<Code>(
  base: Code | undefined,
  here: Code | undefined,
  remote: Code | undefined,
): Status {
  if (here === undefined) {
    return base !== undefined && remote === undefined ? 'deleted there' : 'missing here';
  }
  if (remote === undefined) return base === undefined ? 'new' : 'deleted there';
  if (here === remote) return 'unchanged';
  if (base === undefined || remote === base) return 'changed here';
  return here === base ? 'changed there' : 'conflict';
}

/** Nothing can be done with such a val but to forget it. */
export const isDeletedEverywhere = ({ here, remote }: { here: unknown; remote: unknown }): boolean =>
  here === undefined && remote === undefined;

interface Findings {
  status: Status;
  foreign?: unknown;
  isUnmerged: boolean;
  nameThere: string | undefined;
  isRenamedHere: boolean;
}

/** One word for a val: what a person has to decide on first comes before the comparison of the codes. */
export type ShownStatus = Status | 'unmerged' | 'not yours' | 'renamed here';

export function shownStatus({
  status,
  foreign,
  isUnmerged,
  nameThere,
  isRenamedHere,
}: Findings): ShownStatus {
  if (foreign !== undefined) return 'not yours';
  if (isUnmerged) return 'unmerged';
  if (isRenamedHere) return canBeRenamed.has(status) ? 'renamed here' : status;
  return nameThere === undefined ? status : 'conflict';
}

/** A push renames the val first. */
const canBeRenamed: ReadonlySet<Status> = new Set(['unchanged', 'changed here', 'changed there']);
