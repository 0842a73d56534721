// The vals of vals.json whose files are gone, and the code that these files may have had.
import { basename, dirname } from 'node:path';
import { LocalError, undefinedIf, ValsError } from '../errors.ts';
import { grouped } from '../lib/grouped.ts';
import { namesBelow } from './disk/files.ts';
import { examine, isSameChange, localSideOf, recordOf } from './examine.ts';
import type { ValRecord } from './records/val-records.ts';
import type { RemoteVals } from './remote-vals.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export interface MissingVal {
  val: WorkspaceVal;
  record: ValRecord | undefined;
  /** The code of the record and the code on the service. A fresh checkout has no record, and a record may be old. */
  codes: string[];
}

export function findMissing({ root, vals }: Workspace): WorkspaceVal[] {
  const byFolder = grouped([...vals], ({ file }) => dirname(file));
  return [...byFolder].flatMap(([folder, inside]) => {
    const names = namesIn(root, folder === '.' ? '' : folder);
    return names === undefined ? [] : inside.filter(({ file }) => !names.has(basename(file)));
  });
}

function namesIn(root: string, folder: string): Set<string> | undefined {
  try {
    return new Set(namesBelow(root, folder));
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    return undefined;
  }
}

export function withCodeOfRecord(workspace: Workspace, val: WorkspaceVal): MissingVal {
  const record = recordOf(workspace, val);
  return { val, record, codes: record === undefined ? [] : [record.code] };
}

/** For more vals, the list is read first, because it shows which of them still have the code of their record. */
const mostReadWithoutList = 20;

export async function withCodeThere(
  workspace: Workspace,
  remotes: RemoteVals,
  missing: readonly MissingVal[],
): Promise<MissingVal[]> {
  const list = missing.length > mostReadWithoutList ? await remotes.all().catch(undefinedIf(ValsError)) : [];
  const listed = new Map(list?.map((val) => [val.id, val]));
  return Promise.all(
    missing.map(async (known) => {
      const { val, record, codes } = known;
      const inList = listed.get(val.id ?? record?.id ?? '');
      if (record?.changedAt !== undefined && inList && isSameChange(inList, record)) return known;
      const local = localSideOf({ record, code: undefined });
      // The command itself will report the error.
      const found = await examine(workspace, remotes.ahead, val, local).catch(undefinedIf(ValsError));
      const there = found?.isOthers ? undefined : found?.remote?.code;
      return there === undefined ? known : { ...known, codes: [...codes, there] };
    }),
  );
}
