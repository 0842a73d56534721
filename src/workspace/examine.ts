import { readBelow } from './disk/files.ts';
import { pastAfter, type RecordFacts, recordAfter, type ValRecord } from './records/val-records.ts';
import { isSameVersion, type RemoteSide, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { codeState, type Findings, nameState } from './state.ts';
import { type CodeFacts, factsOf } from './text/code-facts.ts';
import type { WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace } from './workspace.ts';

export interface Examined extends Findings {
  /** With the id that vals.json, the record or the list has. */
  val: WorkspaceVal;
  here: CodeFacts | undefined;
  /** The record, with what is known now of a push whose answer was lost. */
  record: RecordFacts | undefined;
  recorded: RecordFacts | undefined;
  remote: RemoteVal | undefined;
  owner: string | undefined;
  /** The service has no list, so nobody knows whether it has a val with this name. */
  isNameUnknown: boolean;
  /** The service sent no id, so the code that was sent last counts as the code on the service. */
  isRemoteAssumed: boolean;
}

/** The record and the code of a val in this folder. */
export interface LocalTexts {
  record: ValRecord | undefined;
  code: string | undefined;
}

type Reads = RemoteVals['ahead'];

export interface LocalSide {
  record: RecordFacts | undefined;
  here: CodeFacts | undefined;
}

/**
 * A record belongs to a file that vals.json lists. Another branch may have had a val of the same file or name, whose
 * record says nothing of a new file.
 */
export function recordOf({ records, vals }: Workspace, val: WorkspaceVal): ValRecord | undefined {
  const file = val.movedFrom ?? val.file;
  return vals.ofFile(file) === undefined ? undefined : records.of({ ...val, file });
}

/**
 * The record must be read before the code. Other commands change the file first and the record later, so old code with
 * a new record would look like an edit, and a push would overwrite newer code on the service.
 */
export function readLocalTexts(
  workspace: Workspace,
  val: WorkspaceVal,
  record = recordOf(workspace, val),
): LocalTexts {
  return { record, code: readBelow(workspace.root, val.file, pathTo(workspace, val.file)) };
}

export const localSideOf = ({ record, code }: LocalTexts): LocalSide => ({
  record: record && withoutCode(record),
  here: code === undefined ? undefined : factsOf(code),
});

const withoutCode = ({ code: _code, ...facts }: ValRecord): RecordFacts => facts;

export async function examine(
  workspace: Workspace,
  remotes: Reads,
  val: WorkspaceVal,
  local: LocalSide,
): Promise<Examined> {
  const { record: recorded, here } = local;
  const { remote, foreign, isUnknown = false } = await findRemote(remotes, val, local);
  const isHidden = val.id !== undefined && val.otherServices !== undefined && remote === undefined;
  const record = recorded && isOfVal(recorded, remote) ? afterLostAnswer(recorded, remote) : undefined;
  const isListed = workspace.vals.ofFile(val.movedFrom ?? val.file) !== undefined;
  const wasThere = val.id !== undefined || (record !== undefined && isListed);
  const isOlder = here !== undefined && earlierVersion(record, here) !== undefined;
  const base = val.isNamesake || wentBack(record, remote) ? undefined : record?.hash;
  const sides = { here: here?.hash, record: base, there: remote?.hash };
  const code = codeState(sides, { wasThere, isOlder, isNameUnknown: isUnknown });
  // A service that sends no name has not renamed the val.
  const nameThere = remote && (remote.name ?? record?.name ?? val.name);
  const name = nameState({ here: val.name, record: record?.name, there: nameThere });
  return {
    val: { ...val, id: val.id ?? remote?.id },
    here,
    record,
    recorded,
    remote,
    code,
    name,
    isOlderName: name === 'renamed here' && record?.formerNames.includes(val.name) === true,
    isOthers: foreign !== undefined || isHidden,
    owner: foreign?.owner,
    // If the service has the same code, there is nothing left to merge.
    isUnmerged: here?.hasMarkers === true && code !== 'unchanged',
    isMoved: val.movedFrom !== undefined,
    isNameUnknown: isUnknown,
    isRemoteAssumed: remote !== undefined && remote.id === undefined,
  };
}

/** The version that had this code when file and service last had it in common. */
export const earlierVersion = (record: RecordFacts | undefined, { hash }: CodeFacts) =>
  record?.past.find((earlier) => earlier.hash === hash);

type Found = Omit<RemoteSide, 'remote'> & { remote: RemoteVal | undefined; isUnknown?: boolean };

async function findRemote(remotes: Reads, val: WorkspaceVal, local: LocalSide): Promise<Found> {
  if (val.id !== undefined) return findById(remotes, val.id, local);
  const { record } = local;
  if (record?.id !== undefined) {
    const found = await findById(remotes, record.id, local);
    if (found.remote !== undefined && found.foreign === undefined) return found;
    // If the val was deleted, somebody may have made a new val with its name.
    const named = await findByName(remotes, val.name, local);
    return found.foreign !== undefined && named.remote === undefined ? found : named;
  }
  return findByName(remotes, val.name, local);
}

async function findByName(remotes: Reads, name: string, { record }: LocalSide): Promise<Found> {
  const remote = await remotes.named(name);
  if (remote !== 'unknown') return { remote };
  const isAssumed = record !== undefined && record.id === undefined;
  if (!isAssumed) return { remote: undefined, isUnknown: record === undefined };
  return { remote: { ...codeOfRecord(record), id: undefined, name, version: record.version } };
}

async function findById(remotes: Reads, id: string, { record, here }: LocalSide): Promise<Found> {
  const isEdited = here !== undefined && record?.hash !== here.hash;
  if (record?.changedAt !== undefined && record.sent === undefined && !isEdited) {
    const listed = await remotes.listed(id);
    if (listed && isSameChange(listed, record))
      return { remote: { ...listed, ...codeOfRecord(record), ...here } };
  }
  return remotes.read(id);
}

const codeOfRecord = ({ hash }: RecordFacts): CodeFacts => ({ hash, hashOfLines: hash, hasMarkers: false });

type ChangeMark = Partial<Pick<RemoteVal, 'version' | 'changedAt'>>;

/** Compares `changedAt` too, because a service may use the same version twice. */
export const isSameChange = (a: ChangeMark, b: ChangeMark): boolean =>
  a.changedAt === b.changedAt && isSameVersion(a.version, b.version);

/** A record of another val, which had the same name, does not count. */
const isOfVal = (record: RecordFacts, remote: RemoteVal | undefined): boolean =>
  record.id === undefined || remote?.id === undefined || record.id === remote.id;

/**
 * The service has an older version than the one that file and service had in common, as after a restored backup. The
 * file may have the only copy of the newer code, so the record cannot say which side is newer.
 */
export function wentBack(record: RecordFacts | undefined, remote: RemoteVal | undefined): boolean {
  const [before, now] = [record?.version, remote?.version];
  return typeof before === 'number' && typeof now === 'number' && now < before;
}

/** If the service has the code that a push sent before its answer was lost, both sides had that code in common. */
function afterLostAnswer(record: RecordFacts, remote: RemoteVal | undefined): RecordFacts {
  if (remote === undefined || record.sent === undefined || record.sent !== remote.hash) return record;
  const { version, changedAt, hash } = remote;
  return { ...record, version, changedAt, hash, past: pastAfter(record, hash) };
}

/** The record that a new one follows. That of another branch says nothing of the file, but of the past of the val. */
export const pastOf = ({ records }: Workspace, { val, record }: Examined): RecordFacts | undefined =>
  record ?? (val.id === undefined ? undefined : records.of(val));

/** Writes what both sides have in common, if they have the same code. */
export function recordIfSame(workspace: Workspace, examined: Examined): void {
  const { records } = workspace;
  const { val, record, recorded, remote, name } = examined;
  if (examined.code !== 'unchanged' || remote === undefined) return;
  // A moved file gets its record together with its entry in vals.json.
  if (name === 'other val' || val.movedFrom !== undefined) return;
  // If the names differ, the record keeps the name that both sides last had in common.
  const commonName = name === 'same' ? val.name : record?.name;
  if (commonName === undefined) return;
  const isKnown =
    recorded?.file === val.file &&
    recorded.hash === remote.hash &&
    recorded.name === commonName &&
    recorded.sent === undefined &&
    recorded.id === val.id &&
    isSameChange(recorded, remote);
  if (isKnown) return;
  const { version, changedAt, hash } = remote;
  // A val that was only seen in the list has the code of the record.
  const code = remote.code ?? records.of(val)?.code;
  if (code === undefined) return;
  records.write(
    recordAfter(pastOf(workspace, examined), {
      file: val.file,
      id: val.id,
      name: commonName,
      version,
      changedAt,
      code,
      hash,
    }),
  );
}
