// Compares three versions of a val's code: the file, the service's code, and their base.
import { LocalError } from '../errors.ts';
import { compare, type Status } from './compare.ts';
import { type Base, hashOf } from './disk/base.ts';
import { readBelow } from './disk/files.ts';
import { isSameVersion, type RemoteSide, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { hasConflictMarkers } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export interface Examined extends RemoteSide {
  /** If vals.json has no id for the val, `val.id` is the id of the service's val with the same name. */
  val: WorkspaceVal;
  here: string | undefined;
  base: Base | undefined;
  /** The base in .vals. It differs from `base` if the service has the code of a push that got no answer. */
  recorded: Base | undefined;
  /** Compares only the code, not the names or the owners. */
  status: Status;
  /** The val's name on the service; undefined if vals.json has the same name. */
  nameThere: string | undefined;
  /** True if the user changed the name in vals.json, and the base and the service still have the old name. */
  isRenamedHere: boolean;
  /** True if vals.json has no id for the val. */
  isNew: boolean;
  /**
   * True if vals.json has no id for the val and the service cannot list vals. Then a push may overwrite a val of the
   * same name on the service.
   */
  mayTakeOver: boolean;
  /** True if the service sent no id and cannot list vals. Then `remote` is the code that was last sent. */
  isAssumed: boolean;
  /** True if the file has conflict markers and differs from the service's code. */
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
  // If `others` is set, the id belongs to another owner. A private val of another owner looks deleted to the caller.
  const isHidden = val.id !== undefined && val.others !== undefined && remote === undefined;
  const base = baseAfterLostAnswer(recorded, remote);
  const compared = compare<string | typeof unlikeAny>(
    base?.code ?? codeWithoutBase(workspace, val, remote),
    here,
    remote?.code,
  );
  const status = compared === 'changed here' && !mayReplace(workspace, val, recorded) ? 'conflict' : compared;
  const nameThere = remote?.name === val.name ? undefined : remote?.name;
  return {
    ...(found === 'unknown' ? { remote } : found),
    ...(isHidden && { foreign: { owner: undefined } }),
    val: { ...val, id: val.id ?? remote?.id },
    here,
    base,
    recorded,
    status,
    nameThere,
    isRenamedHere: nameThere !== undefined && val.id !== undefined && recorded?.name === nameThere,
    isNew: val.id === undefined,
    mayTakeOver: found === 'unknown',
    isAssumed: remote !== undefined && remote.id === undefined,
    isUnmerged: edits.has(status) && here !== undefined && hasConflictMarkers(here),
  };
}

const edits: ReadonlySet<Status> = new Set(['changed here', 'conflict', 'new']);

const unlikeAny = Symbol('unlike any code');

/** If there is no base, any difference is a conflict. The exceptions are a new val and a val of a fresh checkout. */
function codeWithoutBase(
  { bases }: Workspace,
  { id }: WorkspaceVal,
  remote: RemoteVal | undefined,
): typeof unlikeAny | undefined {
  const isOnNeitherSide = id === undefined && remote === undefined;
  const isFreshCheckout = id !== undefined && remote !== undefined && bases.trustsFile(id);
  return isOnNeitherSide || isFreshCheckout ? undefined : unlikeAny;
}

/**
 * False if vals.json got the val after the checkout, and this folder never pulled or pushed the val. Whoever added the
 * val to vals.json may be a stranger, so a base that `vals status` recorded does not allow a push to replace its code.
 */
const mayReplace = ({ bases }: Workspace, { id }: WorkspaceVal, recorded: Base | undefined): boolean =>
  id === undefined || recorded?.name !== undefined || bases.trustsFile(id);

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

/**
 * If the service's list shows that neither side changed, the val itself is not read, because nothing will be written.
 */
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

/** If a push got no answer, but the service has the code of that push, then that code is the base. */
const baseAfterLostAnswer = (base: Base | undefined, remote: RemoteVal | undefined): Base | undefined =>
  base?.sent !== undefined && remote !== undefined && base.sent === hashOf(remote.code) ? remote : base;

/**
 * If the file and the service have the same code, this code becomes the base. A command that only reads must pass
 * 'read': otherwise a val that a stranger listed in vals.json could later be renamed or deleted. If the folder is not
 * writable, the command does not fail.
 */
export function recordUnchanged(
  { bases }: Workspace,
  { val, recorded, remote, status, nameThere, isNew }: Examined,
  by: 'read' | 'pull or push',
): void {
  if (status !== 'unchanged' || remote === undefined || isNew) return;
  const isKnown = by === 'pull or push' || recorded?.name !== undefined;
  // If the names differ, the old name stays. Otherwise a rename on the service would look like a rename in vals.json.
  const ownName = isKnown ? val.name : undefined;
  const name = nameThere === undefined ? ownName : recorded?.name;
  if (recorded?.code === remote.code && recorded.name === name && isSameChange(recorded, remote)) return;
  try {
    bases.write(val, { ...remote, name });
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
  }
}
