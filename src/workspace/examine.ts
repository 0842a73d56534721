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
  recorded: Base | undefined;
  status: Status;
  otherNameThere: string | undefined;
  isRenamedHere: boolean;
  isNew: boolean;
  mayTakeOver: boolean;
  isRemoteAssumed: boolean;
  isUnmerged: boolean;
}

/** The name that the service has for the val, unless the user gave the val another name in vals.json. */
export const unexpectedName = ({ otherNameThere, isRenamedHere }: Examined): string | undefined =>
  isRenamedHere ? undefined : otherNameThere;

export interface LocalSide {
  base: Base | undefined;
  code: string | undefined;
}

/**
 * The base must be read before the code. Other commands change the file first and the base later, so old code with a
 * new base would look like an edit, and a push would overwrite newer code on the service.
 */
export function readLocalSide({ root, bases }: Workspace, val: WorkspaceVal): LocalSide {
  const base = bases.read(val);
  return { base, code: readBelow(root, val.file) };
}

export async function examine(
  workspace: Workspace,
  remotes: RemoteVals,
  val: WorkspaceVal,
  { base: recorded, code: here }: LocalSide = readLocalSide(workspace, val),
): Promise<Examined> {
  const found =
    val.id === undefined
      ? await findByName(remotes, val.name, here, recorded)
      : await findById(remotes, val.id, here, recorded);
  const remote = found === 'unknown' ? undefined : found.remote;
  const isHidden = val.id !== undefined && val.otherServices !== undefined && remote === undefined;
  const isOthers = found !== 'unknown' && (await isOfAnotherOwner(remotes, val, found, here));
  const base = baseAfterLostAnswer(recorded, remote);
  const compared = compare<string | typeof unlikeAny>(
    base?.code ?? codeWithoutBase(workspace, val, remote),
    here,
    remote?.code,
  );
  const status = compared === 'changed here' && !mayReplace(workspace, val, recorded) ? 'conflict' : compared;
  // If the service sends no name, the name that the last pull or push recorded still holds.
  const nameThere = remote === undefined ? undefined : (remote.name ?? recorded?.name);
  const otherNameThere = nameThere === val.name ? undefined : nameThere;
  return {
    ...(found === 'unknown' ? { remote } : found),
    ...((isHidden || isOthers) && { foreign: { owner: undefined } }),
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
 * False for an id that neither the checkout nor a pull or push in this folder added to vals.json. Otherwise a hostile
 * commit could make a push overwrite any val of the user.
 */
export const mayReplace = ({ bases }: Workspace, { id }: WorkspaceVal, recorded: Base | undefined): boolean =>
  id === undefined || recorded?.name !== undefined || bases.cameWithCheckout(id);

/**
 * The service may send no owner. If the user's vals include this name, but not this id, the val in vals.json belongs
 * to somebody else. A push sends only the name, so it would overwrite the user's val with this name.
 */
async function isOfAnotherOwner(
  remotes: RemoteVals,
  { id, name }: WorkspaceVal,
  { remote, isOwnerUnknown = false }: RemoteSide,
  here: string | undefined,
): Promise<boolean> {
  const hasNothingToSend = here === undefined || here === remote?.code;
  if (!isOwnerUnknown || hasNothingToSend || remote === undefined || id === undefined) return false;
  return remotes.hasOtherValNamed(remote.name ?? name, id);
}

async function findByName(
  remotes: RemoteVals,
  name: string,
  here: string | undefined,
  base: Base | undefined,
): Promise<RemoteSide | 'unknown'> {
  if (here === undefined && base === undefined) return { remote: undefined };
  const remote = await remotes.named(name);
  if (remote !== 'unknown') return { remote };
  return base === undefined ? 'unknown' : { remote: { ...base, id: undefined, name } };
}

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

/** Compares `changedAt` too, because a service may use the same version twice. */
const isSameChange = (a: Change, b: Change): boolean =>
  a.changedAt === b.changedAt && isSameVersion(a.version, b.version);

const baseAfterLostAnswer = (base: Base | undefined, remote: RemoteVal | undefined): Base | undefined =>
  base?.sent !== undefined && remote !== undefined && base.sent === hashOf(remote.code) ? remote : base;

/**
 * A command that only reads must pass 'read', so that the base gets no name. A base with a name allows a
 * later push to rename or delete the val.
 */
export function recordUnchanged(
  { bases }: Workspace,
  { val, recorded, remote, status, otherNameThere, isNew }: Examined,
  by: 'read' | 'pull or push',
): void {
  if (status !== 'unchanged' || remote === undefined || isNew) return;
  const isKnown = by === 'pull or push' || recorded?.name !== undefined;
  const ownName = isKnown ? val.name : undefined;
  // If the val has another name on the service than in vals.json, the recorded name must not change. Otherwise a push
  // would treat a rename on the service as a rename in vals.json.
  const name = otherNameThere === undefined ? ownName : recorded?.name;
  if (recorded?.code === remote.code && recorded.name === name && isSameChange(recorded, remote)) return;
  try {
    bases.write(val, { ...remote, name });
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    if (by === 'pull or push') bases.warnNotRecorded(val, error);
  }
}
