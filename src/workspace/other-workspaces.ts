// Before a val is deleted because its file is gone, looks for the file in the other workspaces of the repository.
import { LocalError } from '../errors.ts';
import { realPath } from '../lib/paths.ts';
import { existsBelow, readIfPossible } from './disk/files.ts';
import { repositoryOf } from './disk/root.ts';
import { type MissingVal, withCodeOfRecord, withCodeThere } from './missing-vals.ts';
import type { RemoteVals } from './remote-vals.ts';
import { walkFolder, workspacesBelow } from './sources/walk.ts';
import { createSimilarityIndex } from './text/similar.ts';
import { createVals, type Vals, type WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

/** The file of a val that is gone may be this file of another workspace. */
export interface MoveElsewhere {
  val: WorkspaceVal;
  other: Workspace;
  /** Relative to the root of the other workspace. */
  file: string;
  /** The other workspace lists the val as its own. Otherwise, the file has similar code. */
  isSameVal: boolean;
}

export async function findMovesElsewhere(
  workspace: Workspace,
  workspaces: Workspaces,
  remotes: RemoteVals,
  gone: readonly WorkspaceVal[],
): Promise<MoveElsewhere[]> {
  if (gone.length === 0) return [];
  const others = await otherWorkspaces(workspace, workspaces);
  if (others.length === 0) return [];
  const recorded = gone.map((val) => withCodeOfRecord(workspace, val));
  const missing = await withCodeThere(workspace, remotes, recorded);
  const found = await Promise.all(others.map((other) => findIn(other, workspace, missing)));
  return found.flat();
}

async function otherWorkspaces({ root }: Workspace, workspaces: Workspaces): Promise<Workspace[]> {
  const repository = repositoryOf(root);
  if (repository === undefined) return [];
  const roots = [repository, ...(await workspacesBelow(repository))];
  const opened = new Set(roots.flatMap((each) => workspaces.placeOf(each)?.workspace ?? []));
  return [...opened].filter((other) => realPath(other.root) !== realPath(root));
}

async function findIn(
  other: Workspace,
  workspace: Workspace,
  missing: readonly MissingVal[],
): Promise<MoveElsewhere[]> {
  const vals = valsOf(other);
  const codes = await codesIn(other);
  const filesByCode = new Map([...codes].map(([file, code]) => [code, file]));
  const unlisted = [...codes].filter(([file]) => vals.ofFile(file) === undefined);
  const index = createSimilarityIndex(new Map(unlisted));
  return missing.flatMap(({ val, codes }): MoveElsewhere[] => {
    const id = workspace.idOf(val);
    const same = vals.ofId(id ?? '') ?? vals.ofName(val.name);
    const isSameVal = same !== undefined && isSameId(id, other.idOf(same));
    if (isSameVal && existsBelow(other.root, same.file)) return [{ val, other, file: same.file, isSameVal }];
    const [equal] = codes.flatMap((code) => filesByCode.get(code) ?? []);
    const file = equal ?? index.similarTo(codes)[0];
    return file === undefined ? [] : [{ val, other, file, isSameVal: false }];
  });
}

/** The id of a val may not be known yet. Then its name counts. */
const isSameId = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined || a === b;

/** The vals.json of another workspace may be broken. Then its files count as new ones. */
function valsOf(other: Workspace): Vals {
  try {
    return other.vals;
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    return createVals([]);
  }
}

async function codesIn(other: Workspace): Promise<Map<string, string>> {
  const codes = new Map<string, string>();
  for (const file of await walkFolder(other.root, { pathOf: (below) => pathTo(other, below) })) {
    const code = readIfPossible(other.root, file);
    if (code !== undefined) codes.set(file, code);
  }
  return codes;
}
