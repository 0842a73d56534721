import { readBelow } from './disk/files.ts';
import { hashOf, type ValRecord } from './records/val-records.ts';
import { isSameVersion, type RemoteSide, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { type CodeState, codeState, type Findings, nameState } from './state.ts';
import { hasConflictMarkers } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace } from './workspace.ts';

export interface Examined extends Findings {
  /** With the id that vals.json, the record or the list has. */
  val: WorkspaceVal;
  here: string | undefined;
  /** The record, with what is known now of a push whose answer was lost. */
  record: ValRecord | undefined;
  recorded: ValRecord | undefined;
  remote: RemoteVal | undefined;
  owner: string | undefined;
  /** The service has no list, so nobody knows whether it has a val with this name. */
  isNameUnknown: boolean;
  /** The service sent no id, so the code that was sent last counts as the code on the service. */
  isRemoteAssumed: boolean;
}

export interface LocalSide {
  record: ValRecord | undefined;
  code: string | undefined;
}

/**
 * The record must be read before the code. Other commands change the file first and the record later, so old code with
 * a new record would look like an edit, and a push would overwrite newer code on the service.
 */
export function readLocalSide(workspace: Workspace, val: WorkspaceVal): LocalSide {
  const record = workspace.records.of(val);
  return { record, code: readBelow(workspace.root, val.file, pathTo(workspace, val.file)) };
}

export async function examine(
  workspace: Workspace,
  remotes: RemoteVals,
  val: WorkspaceVal,
  { record: recorded, code: here }: LocalSide = readLocalSide(workspace, val),
): Promise<Examined> {
  const {
    remote,
    foreign,
    isUnknown = false,
  } = await findRemote(remotes, val, { record: recorded, code: here });
  const isHidden = val.id !== undefined && val.otherServices !== undefined && remote === undefined;
  const record = recorded && isOfVal(recorded, remote) ? afterLostAnswer(recorded, remote) : undefined;
  const isListed = workspace.vals.ofFile(val.file) !== undefined;
  const code = codeState(
    { here, record: record?.code, there: remote?.code },
    val.id !== undefined || (record !== undefined && isListed),
  );
  return {
    val: { ...val, id: val.id ?? remote?.id },
    here,
    record,
    recorded,
    remote,
    code,
    // A service that sends no name has not renamed the val.
    name: nameState({
      here: val.name,
      record: record?.name,
      there: remote && (remote.name ?? record?.name ?? val.name),
    }),
    isOthers: foreign !== undefined || isHidden,
    owner: foreign?.owner,
    isUnmerged: isEdit(code) && here !== undefined && hasConflictMarkers(here),
    isNameUnknown: isUnknown,
    isRemoteAssumed: remote !== undefined && remote.id === undefined,
  };
}

const isEdit = (code: CodeState): boolean => ['changed here', 'conflict', 'differs', 'new'].includes(code);

type Found = RemoteSide & { isUnknown?: boolean };

async function findRemote(remotes: RemoteVals, val: WorkspaceVal, local: LocalSide): Promise<Found> {
  if (val.id !== undefined) return findById(remotes, val.id, local);
  const { record } = local;
  if (record?.id !== undefined) {
    const found = await findById(remotes, record.id, local);
    // If the val was deleted, somebody may have made a new val with its name.
    if (found.remote !== undefined && found.foreign === undefined) return found;
  }
  return findByName(remotes, val.name, local);
}

async function findByName(remotes: RemoteVals, name: string, { record }: LocalSide): Promise<Found> {
  const remote = await remotes.named(name);
  if (remote !== 'unknown') return { remote };
  const isAssumed = record !== undefined && record.id === undefined;
  if (isAssumed) return { remote: { ...record, id: undefined, name, version: record.version } };
  return { remote: undefined, isUnknown: record === undefined };
}

async function findById(remotes: RemoteVals, id: string, { record, code }: LocalSide): Promise<Found> {
  if (record?.changedAt !== undefined && record.sent === undefined && record.code === code) {
    const listed = await remotes.listed(id);
    if (listed && isSameChange(listed, record)) return { remote: { ...listed, code: record.code } };
  }
  return remotes.read(id);
}

type Change = Partial<Pick<RemoteVal, 'version' | 'changedAt'>>;

/** Compares `changedAt` too, because a service may use the same version twice. */
const isSameChange = (a: Change, b: Change): boolean =>
  a.changedAt === b.changedAt && isSameVersion(a.version, b.version);

/** A record of another val, which had the same name, does not count. */
const isOfVal = (record: ValRecord, remote: RemoteVal | undefined): boolean =>
  record.id === undefined || remote?.id === undefined || record.id === remote.id;

/** If the service has the code that a push sent before its answer was lost, both sides had that code in common. */
function afterLostAnswer(record: ValRecord, remote: RemoteVal | undefined): ValRecord {
  if (remote === undefined || record.sent === undefined || record.sent !== hashOf(remote.code)) return record;
  const { version, changedAt, code } = remote;
  return { ...record, version, changedAt, code };
}

/** Writes what both sides have in common, if they have the same code. */
export function recordIfSame(
  { records }: Workspace,
  { val, record, recorded, remote, code, name }: Examined,
): void {
  if (code !== 'unchanged' || remote === undefined || name === 'other val') return;
  // If the names differ, the record keeps the name that both sides last had in common.
  const commonName = name === 'same' ? val.name : record?.name;
  if (commonName === undefined) return;
  const isKnown =
    recorded?.file === val.file &&
    recorded.code === remote.code &&
    recorded.name === commonName &&
    recorded.sent === undefined &&
    recorded.id === val.id &&
    isSameChange(recorded, remote);
  if (isKnown) return;
  const { version, changedAt } = remote;
  records.write({ file: val.file, id: val.id, name: commonName, version, changedAt, code: remote.code });
}
