// Reads vals and their versions from the service. Nothing else in the workspace does. A val is read once per command, and once
// more just before it is written.

import { BadResponseError, hasStatus, NotFoundError, undefinedIf } from '../../core/errors.ts';
import { onlyOne } from '../../core/find-val/unknown-word.ts';
import { newestVersionOf, type ValInList } from '../../core/find-val/val-list.ts';
import { ownerOf, versionOf } from '../../core/http/record-fields.ts';
import { forEach } from '../../core/http/request/limiter.ts';
import { type ListedVersion, presentAmong, versionsOf } from '../../core/http/versions.ts';
import { sh } from '../../core/lib/hint.ts';
import { type JsonObject, textAt } from '../../core/lib/json.ts';
import * as routes from '../../core/routes.ts';
import { asCode, type Code, type CodeHash, sameCodeWithId } from '../code.ts';
import type { ValVersion } from '../compare/types.ts';
import type { Session } from '../session.ts';
import type { Remote, RemoteVal, ValWithCode } from './remote-val.ts';

/** For fewer vals, the list is not read if their ids are known. */
const fewestForList = 5;

/** The caller's val of this name. It is not read where the list tells that it has the code that is here. */
export async function findRemote(session: Session, name: string, here: Code): Promise<Remote> {
  const { valList, count } = session;
  const readsList = count >= fewestForList && (await valList.all()) !== undefined;
  const known = readsList ? undefined : await findByKnownId(session, name);
  if (known !== undefined) return known;
  if ((await valList.all()) !== undefined) return findInList(session, name, here);
  session.reads.renamed ??= readRenamed(session);
  return (await session.reads.renamed).get(name) ?? { kind: 'unknown' };
}

async function findInList(session: Session, name: string, here: Code): Promise<Remote> {
  const mine = await session.valList.named(name);
  const only = onlyOne(
    mine.map(({ id }) => ({ id, name })),
    `are named "${name}"`,
  );
  const one = mine.find(({ id }) => id === only?.id);
  return (one && (await fromList(session, one, here))) ?? { kind: 'none' };
}

/** Only a list with `codeHash` tells what code a val has. */
async function fromList(session: Session, listed: ValInList, here: Code): Promise<RemoteVal | undefined> {
  const { id, name = '', version, codeHash, madeAt, madeBy } = listed;
  if (codeHash === undefined) return readOwnVal(session, id);
  const code = sameCodeWithId(here, codeHash) ?? { text: undefined, blob: codeHash };
  const unknown = { etag: undefined, owner: undefined };
  return { kind: 'val', id, name, version, code, madeAt, madeBy, ...unknown };
}

/** The id of vals.json decides alone, then that of the last sync. Only then counts what this machine has seen. */
async function findByKnownId(session: Session, name: string): Promise<RemoteVal | undefined> {
  const { manifestIds, lastSyncs, reads } = session;
  const id = reads.chosen.get(name) ?? manifestIds.get(name);
  if (id !== undefined) return readNamed(session, name, id);
  const syncedId = lastSyncs.of(name)?.id;
  const synced = syncedId === undefined ? undefined : await readNamed(session, name, syncedId);
  if (synced !== undefined && synced.owner === undefined) return synced;
  reads.seen ??= readSeen(session);
  const found: RemoteVal[] = [];
  for (const each of (await reads.seen).filter((val) => val.name === name)) {
    const val = await readNamed(session, name, each.id);
    if (val !== undefined && val.owner === undefined) found.push(val);
  }
  onlyOne(found, `are named "${name}"`);
  return found[0];
}

/** The val, if it still has the name. */
async function readNamed(session: Session, name: string, id: string): Promise<RemoteVal | undefined> {
  const val = await readVal(session, id);
  return val?.name === name ? val : undefined;
}

/** The caller's vals that this machine has seen. */
async function readSeen({ seen, valList }: Session): Promise<readonly { id: string; name: string }[]> {
  const { me, vals } = seen.recall();
  const owner = vals.find((val) => val.owner && !val.mine)?.owner;
  // Whose a val is that was only read by its id, the answer of /v1/me tells. It is remembered.
  if (me === undefined && owner !== undefined) await valList.isMe(owner);
  return seen.recall().mine;
}

/** The present name of a val decides its file, so an entry of vals.json may have an earlier name. */
async function readRenamed(session: Session): Promise<ReadonlyMap<string, RemoteVal>> {
  const names = new Set(session.names.values());
  const ids = [...session.manifestIds].flatMap(([name, id]) => (names.has(name) ? [] : id));
  const found = new Map<string, RemoteVal>();
  await forEach(ids, 'auto', async (id) => {
    const val = await readOwnVal(session, id);
    if (val !== undefined) found.set(val.name, val);
  });
  return found;
}

/** Undefined if there is no such val, or if the caller may not read it. Others' vals, too. */
export function readVal(session: Session, id: string): Promise<ValWithCode | undefined> {
  const { vals } = session.reads;
  const reading = vals.get(id) ?? readAgain(session, id);
  vals.set(id, reading);
  return reading;
}

/** The caller's val with this id, whatever its name. Undefined if it is gone or somebody else's. */
export async function readOwnVal(session: Session, id: string): Promise<ValWithCode | undefined> {
  const val = await readVal(session, id);
  return val?.owner === undefined ? val : undefined;
}

/** Reads the val once more, for a decision just before a write. */
export async function readAgain({ api, valList }: Session, id: string): Promise<ValWithCode | undefined> {
  try {
    const { record, etag } = await api.recordWithEtag(routes.getVal(id));
    const owner = ownerOf(record);
    const isMine = await valList.isMe(owner?.id);
    return { ...valFrom(id, record), etag, owner: isMine ? undefined : (owner?.username ?? owner?.id) };
  } catch (error) {
    return undefinedIfHidden(error);
  }
}

/** Undefined if it is gone by now. */
export async function withCode(session: Session, val: RemoteVal): Promise<ValWithCode | undefined> {
  const { id, code } = val;
  return code.text === undefined ? readVal(session, id) : { ...val, code };
}

/** With the number of its version, which the list of its versions tells where the val does not. */
export async function withVersion<Val extends RemoteVal>(session: Session, val: Val): Promise<Val> {
  if (val.version !== undefined) return val;
  const numbers = (await listVersions(session, val.id))?.map(({ number }) => number);
  return { ...val, version: presentAmong(numbers ?? [], undefined) };
}

/** Somebody else is its author, or the list of its versions, if that was read, is not for the caller. */
export const isOthers = async ({ reads }: Session, { id, owner }: RemoteVal): Promise<boolean> =>
  owner !== undefined || (reads.versions.has(id) && (await reads.versions.get(id)) === undefined);

/** It has never had other code, as far as the list of its versions tells. */
export const hasOneVersion = async (session: Session, { id }: RemoteVal): Promise<boolean> =>
  (await listVersions(session, id))?.length === 1;

/** Undefined if the service does not show them to the caller: the val is somebody else's. */
function listVersions({ api, reads }: Session, id: string): Promise<ListedVersion[] | undefined> {
  const reading = reads.versions.get(id) ?? versionsOf(api, id).catch(undefinedIfHidden);
  reads.versions.set(id, reading);
  return reading;
}

/** The numbers of the versions that were made after the one before a write: its own, and perhaps others. */
export async function versionsSince(
  { api }: Session,
  { id, version }: RemoteVal,
): Promise<readonly number[]> {
  // The write is done. That nothing more is known of it is no failure.
  const numbers = (await versionsOf(api, id).catch(() => [])).map(({ number }) => number);
  return version === undefined ? numbers.slice(-1) : numbers.filter((number) => number > version);
}

const mostVersions = 20;

/** The newest 20 versions, oldest first. The last one is the val as it is now. */
export async function newestVersions(session: Session, val: RemoteVal): Promise<ValVersion[]> {
  const listed = (await listVersions(session, val.id)) ?? [];
  const { id, version, code, madeAt } = await withVersion(session, val);
  const earlier =
    version === undefined ? [] : listed.filter(({ number }) => number < version).slice(1 - mostVersions);
  const codes = new Map<number, Code | CodeHash>();
  await forEach(earlier, 'auto', async (each) => {
    const found = codeInList(each) ?? (await readVersion(session, id, each.number));
    if (found !== undefined) codes.set(each.number, found);
  });
  const found = earlier.flatMap(({ number, madeAt }): ValVersion[] => {
    const code = codes.get(number);
    return code === undefined ? [] : [{ version: number, code, madeAt }];
  });
  const present = listed.find(({ number }) => number === version);
  return [...found, { version, code, madeAt: present?.madeAt ?? madeAt }];
}

function codeInList({ code, codeHash }: ListedVersion): Code | CodeHash | undefined {
  if (code !== undefined) return asCode(code);
  return codeHash === undefined ? undefined : { text: undefined, blob: codeHash };
}

/** Undefined if the version is gone by now. */
export async function codeOfVersion(
  session: Session,
  { id, version: present }: RemoteVal,
  { version, code }: ValVersion,
): Promise<Code | undefined> {
  if (code.text !== undefined) return code;
  if (version === undefined || version === present) return (await readVal(session, id))?.code;
  return readVersion(session, id, version);
}

/** Undefined if the version was deleted meanwhile. */
async function readVersion({ api }: Session, id: string, version: number): Promise<Code | undefined> {
  const record = await api.record(routes.getVersion(id, version)).catch(undefinedIf(NotFoundError));
  return typeof record?.code === 'string' ? asCode(record.code) : undefined;
}

/** It is not there, or the caller may not see it. */
function undefinedIfHidden(error: unknown): undefined {
  if (!(error instanceof NotFoundError) && !hasStatus(error, 403)) throw error;
}

export const noValOfId = (id: string, service: string): NotFoundError =>
  new NotFoundError(`There is no val ${id} on ${service}, or you are not allowed to read it.`, {
    hint: sh`To list your vals, run ${['ls']}.`,
  });

function valFrom(id: string, record: JsonObject): Omit<ValWithCode, 'etag' | 'owner'> {
  const { code } = record;
  const name = textAt(record, 'name');
  if (!name || typeof code !== 'string') {
    throw new BadResponseError(`The service sent no ${name ? 'code' : 'name'} for the val ${name || id}.`, {
      hint: sh`To see the answer, run ${['val', 'get', id]}.`,
    });
  }
  return {
    kind: 'val',
    id,
    name,
    version: versionOf(record),
    code: asCode(code),
    ...newestVersionOf(record),
  };
}
