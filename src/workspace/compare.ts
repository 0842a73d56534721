export type Status =
  | 'unchanged'
  | 'changed here'
  | 'changed there'
  | 'conflict'
  | 'new'
  | 'missing here'
  | 'deleted there';

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

export const isDeletedEverywhere = ({ here, remote }: { here: unknown; remote: unknown }): boolean =>
  here === undefined && remote === undefined;

interface Findings {
  status: Status;
  foreign?: unknown;
  isUnmerged: boolean;
  otherNameThere: string | undefined;
  isRenamedHere: boolean;
}

export type ShownStatus = Status | 'unmerged' | 'not yours' | 'renamed here';

export function shownStatus({
  status,
  foreign,
  isUnmerged,
  otherNameThere,
  isRenamedHere,
}: Findings): ShownStatus {
  if (foreign !== undefined) return 'not yours';
  if (isUnmerged) return 'unmerged';
  if (isRenamedHere) return canBeRenamed.has(status) ? 'renamed here' : status;
  return otherNameThere === undefined ? status : 'conflict';
}

const canBeRenamed: ReadonlySet<Status> = new Set(['unchanged', 'changed here', 'changed there']);
