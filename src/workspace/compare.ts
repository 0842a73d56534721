// What became of a val since both sides last agreed: a pure function of three codes.

/** As `vals status` says it. */
export type Status =
  | 'unchanged'
  | 'changed here'
  | 'changed there'
  | 'conflict'
  | 'new'
  | 'missing here'
  | 'deleted there';

/**
 * Each is undefined where there is no code. Two sides that are alike agree, whatever they once agreed on.
 * Without an agreement, as in a fresh checkout, the file is taken for the newer side.
 */
export function compare<Code>(
  agreed: Code | undefined,
  here: Code | undefined,
  remote: Code | undefined,
): Status {
  if (here === undefined) {
    return agreed !== undefined && remote === undefined ? 'deleted there' : 'missing here';
  }
  if (remote === undefined) return agreed === undefined ? 'new' : 'deleted there';
  if (here === remote) return 'unchanged';
  if (agreed === undefined || remote === agreed) return 'changed here';
  return here === agreed ? 'changed there' : 'conflict';
}

/** There is no file and no val: nothing can be done with it but to leave it out. */
export const isNowhere = ({ here, remote }: { here: unknown; remote: unknown }): boolean =>
  here === undefined && remote === undefined;
