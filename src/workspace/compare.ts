// Which side is newer, decided from what each side has had before. Pure: what is not known yet is asked for, so that git
// and the versions are asked only where they decide.
import { type Code, isSameCode } from './code.ts';

/** How the code of a file and of its val compare. */
export type CodeStatus = 'unchanged' | 'changed here' | 'changed there' | 'conflict';

export interface Sides {
  here: Code;
  there: Code;
  /** The code of the record, if the record counts. */
  record: Code | undefined;
}

export interface Past {
  git?: GitPast | undefined;
  /** The file has the code of an earlier version of the val. */
  isEarlierVersion?: boolean | undefined;
}

/** Where git's history of HEAD has the service's code, seen from the code of the record. */
export type GitPast =
  /** git does not have it, or has no history. */
  | 'absent'
  /** git has it, and it is not merely older than the record's code. Also if there is no record. */
  | 'present'
  /** Every place of it is before every place of the record's code. */
  | 'older than the record'
  /** git has it, but not the record's code. */
  | 'without the record';

export type Verdict = CodeStatus | { needs: keyof Past };

export function compareCodes({ here, there, record }: Sides, { git, isEarlierVersion }: Past): Verdict {
  if (isSameCode(here, there)) return 'unchanged';
  const hasCodeOfRecord = isSameCode(here, record);
  // The third rule. It stands first because the first one would say the same, and git need not be asked.
  if (isSameCode(there, record)) return 'changed here';
  if (git === undefined) return { needs: 'git' };
  // 1. The service's code is in the history of HEAD, and not merely older there than the record's code.
  if (git === 'present' || (git === 'without the record' && !hasCodeOfRecord)) return 'changed here';
  // 2. The file has the record's code.
  if (hasCodeOfRecord) return 'changed there';
  // 4. The file has the code of an earlier version.
  if (isEarlierVersion === undefined) return { needs: 'isEarlierVersion' };
  return isEarlierVersion ? 'changed there' : 'conflict';
}

export type Status = CodeStatus | 'unmerged' | 'new' | 'renamed here' | 'missing here' | 'deleted there';
