import { LocalError } from '../errors.ts';
import { compare, type Status } from './compare.ts';
import { type Base, hashOf } from './disk/base.ts';
import { readBelow } from './disk/files.ts';
import { isSameVersion, type RemoteSide, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { hasConflictMarkers } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export interface Examined extends RemoteSide {
  val: WorkspaceVal;
  here: string | undefined;
  base: Base | undefined;
  /** The base as stored in .vals. If a push succeeded but got no answer, `base` is newer. */
  recorded: Base | undefined;
  status: Status;
  otherNameThere: string | undefined;
  isRenamedHere: boolean;
  /** True if vals.json has no id for the val. Then `val.id` is the id of the service's val with the same name. */
  isNew: boolean;
  /** True if the service cannot list vals. Then a push may overwrite a val of the same name. */
  mayTakeOver: boolean;
  isRemoteAssumed: boolean;
  isUnmerged: boolean;
}

export async function examine(
  workspace: Workspace,
  remotes: RemoteVals,
  val: WorkspaceVal,
  here = readBelow(workspace.root, val.file),
  recorded = workspace.bases.read(val),
): Promise<Examined> {
  const found =
    val.id === undefined
      ? await findByName(remotes, val.name, here, recorded)
      : await findById(remotes, val.id, here, recorded);
  const remote = found === 'unknown' ? undefined : found.remote;
  // The service hides a private val of another owner, as if the val were deleted.
  const isHidden = val.id !== undefined && val.otherServices !== undefined && remote === undefined;
  const base = baseAfterLostAnswer(recorded, remote);
  const compared = compare<string | typeof unlikeAny>(
    base?.code ?? codeWithoutBase(workspace, val, remote),
    here,
    remote?.code,
  );
  const status = compared === 'changed here' && !mayReplace(workspace, val, recorded) ? 'conflict' : compared;
  const otherNameThere = remote?.name === val.name ? undefined : remote?.name;
  return {
    ...(found === 'unknown' ? { remote } : found),
    ...(isHidden && { foreign: { owner: undefined } }),
    val: { ...val, id: val.id ?? remote?.id },
    here,
    base,
    recorded,
    status,
    otherNameThere,
    isRenamedHere: otherNameThere !== undefined && val.id !== undefined && recorded?.name === otherNameThere,
    isNew: val.id === undefined,
    mayTakeOver: found === 'unknown',
    isRemoteAssumed: remote !== undefined && remote.id === undefined,
    isUnmerged: edits.has(status) && here !== undefined && hasConflictMarkers(here),
  };
}

const edits: ReadonlySet<Status> = new Set(['changed here', 'conflict', 'new']);

const unlikeAny = Symbol('unlike any code');

/** `unlikeAny` makes `compare` report every difference as a conflict. */
function codeWithoutBase(
  { bases }: Workspace,
  { id }: WorkspaceVal,
  remote: RemoteVal | undefined,
): typeof unlikeAny | undefined {
  const isOnNeitherSide = id === undefined && remote === undefined;
  const isFreshCheckout = id !== undefined && remote !== undefined && bases.cameWithCheckout(id);
  return isOnNeitherSide || isFreshCheckout ? undefined : unlikeAny;
}

/**
 * After the checkout, a `git pull` can bring a stranger's id into vals.json. A push replaces the code of that val only
 * if this folder pulled or pushed the val before.
 */
const mayReplace = ({ bases }: Workspace, { id }: WorkspaceVal, recorded: Base | undefined): boolean =>
  id === undefined || recorded?.name !== undefined || bases.cameWithCheckout(id);

async function findByName(
  remotes: RemoteVals,
  name: string,
  here: string | undefined,
  base: Base | undefined,
): Promise<RemoteSide | 'unknown'> {
  if (here === undefined && base === undefined) return { remote: undefined };
  const remote = await remotes.named(name);
  if (remote !== 'unknown') return { remote };
  // A val without an id cannot be read, so the code that was last sent counts as the service's code.
  return base === undefined ? 'unknown' : { remote: { ...base, id: undefined, name } };
}

/** If the service's list shows no change, nothing will be written, so the val is not read. */
async function findById(
  remotes: RemoteVals,
  id: string,
  here: string | undefined,
  base: Base | undefined,
): Promise<RemoteSide> {
  if (base?.changedAt !== undefined && base.sent === undefined && base.code === here) {
    const listed = await remotes.listed(id);
    if (listed && isSameChange(listed, base)) return { remote: { ...listed, code: base.code } };
  }
  return remotes.read(id);
}

type Change = Pick<RemoteVal, 'version' | 'changedAt'>;

const isSameChange = (a: Change, b: Change): boolean =>
  a.changedAt === b.changedAt && isSameVersion(a.version, b.version);

/** If a push got no answer, but the service has the pushed code, the push succeeded. */
const baseAfterLostAnswer = (base: Base | undefined, remote: RemoteVal | undefined): Base | undefined =>
  base?.sent !== undefined && remote !== undefined && base.sent === hashOf(remote.code) ? remote : base;

/**
 * A base with a name allows a later push to rename or delete the val. So a command that only reads must pass 'read',
 * which adds no name to the base.
 */
export function recordUnchanged(
  { bases }: Workspace,
  { val, recorded, remote, status, otherNameThere, isNew }: Examined,
  by: 'read' | 'pull or push',
): void {
  if (status !== 'unchanged' || remote === undefined || isNew) return;
  const isKnown = by === 'pull or push' || recorded?.name !== undefined;
  // If the names differ, the old name stays. Otherwise a rename on the service would look like a rename in vals.json.
  const ownName = isKnown ? val.name : undefined;
  const name = otherNameThere === undefined ? ownName : recorded?.name;
  if (recorded?.code === remote.code && recorded.name === name && isSameChange(recorded, remote)) return;
  try {
    bases.write(val, { ...remote, name });
  } catch (error) {
    // A command that only reads must not fail because the folder is not writable.
    if (!(error instanceof LocalError)) throw error;
  }
}
