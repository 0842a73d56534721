// The vals on the service, as a workspace sees them: by name, since the name is the key.

import { BadResponseError, hasStatus, NotFoundError } from '../core/errors.ts';
import { type Directory, newestVersionOf, type ValInList } from '../core/find-val/directory.ts';
import type { SeenVals } from '../core/find-val/seen-vals.ts';
import { onlyOne } from '../core/find-val/unknown-word.ts';
import type { Api } from '../core/http/api.ts';
import { changedAtOf, ownerOf, textAt, versionOf } from '../core/http/record-fields.ts';
import { type JsonObject, withoutUndefined } from '../core/lib/json.ts';
import { once } from '../core/lib/once.ts';
import { hasLoneSurrogate } from '../core/lib/visible.ts';
import * as routes from '../core/routes.ts';
import { type Code, type CodeWithText, codeOf, codeWithHash, isSameCode } from './code.ts';
import { codeOfRecord, type ValRecord } from './records.ts';

export interface RemoteVal {
  /** Undefined if the service sent none. Then the code that was sent last counts as the code on the service. */
  id: string | undefined;
  name: string;
  code: Code;
  version: number | undefined;
  /** Differs after each change of the val. */
  changedAt: string | undefined;
  madeAt?: string | undefined;
  madeBy?: string | undefined;
  etag?: string | undefined;
  /** Set if the val belongs to somebody else. */
  owner?: string | undefined;
  /** False if the val was only seen in a list. Before it is written, it has to be read. */
  isRead: boolean;
}

export interface ReadVal extends RemoteVal {
  id: string;
  code: CodeWithText;
}

export interface Lookup {
  api: Api;
  seen: SeenVals;
  directory: Directory;
}

export interface RemoteVals {
  /** Says whether an owner is the caller. Knows the answer after the first call. */
  isMe(owner: string | undefined): Promise<boolean>;
  /** Undefined if there is no such val, or if the caller may not read it. */
  read(id: string): Promise<ReadVal | undefined>;
  /** The caller's val of this name. `unknown` if the service cannot list vals, and nothing else tells. */
  named(name: string, record: ValRecord | undefined): Promise<RemoteVal | 'unknown' | undefined>;
  /** The caller's val with this id, under whatever name. */
  mineWithId(id: string, record: ValRecord | undefined): Promise<RemoteVal | undefined>;
  /** Undefined if the service has no list. */
  all(): Promise<readonly ValInList[] | undefined>;
}

/** For fewer vals, the list is not read if their ids are known. */
const fewestForList = 5;

/** `valCount` is how many vals a command asks for. A list of vals is read in proportion to it. */
export function createRemoteVals({ api, seen, directory }: Lookup, valCount: number): RemoteVals {
  const { isMe } = directory;
  const readSeen = once(async () => (await seen.recall()).mine);
  let isRead = valCount >= fewestForList;
  const readsList = async () => isRead && (await directory.all()) !== undefined;
  const all = () => {
    isRead = true;
    return directory.all();
  };

  async function read(id: string): Promise<ReadVal | undefined> {
    try {
      const { record, etag } = await api.recordWithEtag(routes.getVal(id));
      const val = { ...readVal(id, record), etag };
      const owner = ownerOf(record);
      if (owner === undefined || (await isMe(owner.id))) return val;
      return { ...val, owner: owner.username ?? owner.id };
    } catch (error) {
      if (error instanceof NotFoundError || hasStatus(error, 403)) return undefined;
      throw error;
    }
  }

  async function readMine(id: string): Promise<ReadVal | undefined> {
    const val = await read(id);
    return val?.owner === undefined ? val : undefined;
  }

  /** Reads the val only if the list does not tell which code it has. */
  async function fromList(listed: ValInList, record: ValRecord | undefined): Promise<RemoteVal | undefined> {
    const code = codeInList(listed, record);
    if (code === undefined || !(await isMe(listed.owner))) return readMine(listed.id);
    const { id, name = '', version, changedAt, madeAt, madeBy } = listed;
    return { id, name, code, version, changedAt, madeAt, madeBy, isRead: false };
  }

  async function mineWithId(id: string, record: ValRecord | undefined): Promise<RemoteVal | undefined> {
    const listed = (await readsList()) ? (await directory.all())?.find((val) => val.id === id) : undefined;
    return listed === undefined ? readMine(id) : fromList(listed, record);
  }

  async function byKnownId(name: string, record: ValRecord | undefined): Promise<RemoteVal | undefined> {
    // If several vals were seen with the name, the list has to tell.
    const [seenVal, another] = (await readSeen()).filter((val) => val.name === name);
    const id = record?.id ?? (another === undefined ? seenVal?.id : undefined);
    const val = id === undefined ? undefined : await mineWithId(id, record);
    // A service that sends no name has not renamed the val.
    return val?.name === name || val?.name === '' ? { ...val, name } : undefined;
  }

  return {
    isMe,
    read,
    mineWithId,
    all,
    async named(name, record) {
      const isListed = (await readsList()) && (await directory.named(name)).length > 0;
      const known = isListed ? undefined : await byKnownId(name, record);
      if (known !== undefined) return known;
      if ((await all()) === undefined) return assumed(name, record) ?? 'unknown';
      const found = await directory.named(name);
      const only = onlyOne(
        found.map(({ id }) => ({ id, name })),
        `are named "${name}"`,
      );
      const listed = found.find(({ id }) => id === only?.id);
      return listed && fromList(listed, record);
    },
  };
}

function codeInList({ id, version, changedAt, codeHash }: ValInList, record: ValRecord | undefined) {
  if (codeHash !== undefined) return withTextOfRecord(codeWithHash(codeHash), record);
  const isOfRecord = record?.id === id && record.changedAt !== undefined && record.sent === undefined;
  const isSameChange = isOfRecord && record.changedAt === changedAt && record.version === version;
  return isSameChange ? record.code : undefined;
}

/** The record often has the text of the service's code, which then need not be read. */
const withTextOfRecord = (code: Code, record: ValRecord | undefined): Code =>
  record?.code.blob === code.blob ? record.code : code;

/** A service without a list that answered a push without an id has what was sent. */
function assumed(name: string, record: ValRecord | undefined): RemoteVal | undefined {
  if (record === undefined || record.id !== undefined) return undefined;
  const { version, changedAt } = record;
  return { id: undefined, name, code: codeOfRecord(record, undefined), version, changedAt, isRead: true };
}

function readVal(id: string, record: JsonObject): ReadVal {
  const { code } = record;
  const name = textAt(record, 'name') ?? '';
  if (typeof code !== 'string') {
    throw new BadResponseError(`The service sent no code for the val ${name || id}.`, {
      hint: { text: 'To see the answer', command: 'val get', input: { val: id } },
    });
  }
  return {
    id,
    name,
    code: codeOf(code),
    version: versionOf(record),
    changedAt: changedAtOf(record),
    ...newestVersionOf(record),
    isRead: true,
  };
}

/** The code of a val, if it can be written to a file. */
export function writableCode({ id, code }: ReadVal, name: string): string {
  if (!hasLoneSurrogate(code.text)) return code.text;
  throw new BadResponseError(
    `The code of "${name}" contains half of a character (a lone surrogate), so it cannot be written to a file as UTF-8.`,
    { hint: { text: 'To see the code', command: 'val get', input: { val: id } } },
  );
}

/** The val did not change between two looks at it. */
export const isSameState = (a: RemoteVal | undefined, b: RemoteVal | undefined): boolean =>
  a?.id === b?.id && a?.name === b?.name && a?.version === b?.version && isSameCode(a?.code, b?.code);

export const idAndVersion = (val: Partial<Pick<RemoteVal, 'id' | 'version'>> = {}): JsonObject =>
  withoutUndefined({ id: val.id, version: val.version });
