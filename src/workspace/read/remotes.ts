// The vals on the service. Nothing else in the workspace reads one. A val is read once per command, and once more just
// before it is written.

import { BadResponseError, hasStatus, NotFoundError, undefinedIf } from '../../core/errors.ts';
import type { SeenVals } from '../../core/find-val/seen-vals.ts';
import { onlyOne } from '../../core/find-val/unknown-word.ts';
import { newestVersionOf, type ValInList, type ValList } from '../../core/find-val/val-list.ts';
import type { Api } from '../../core/http/api.ts';
import { ownerOf, versionOf } from '../../core/http/record-fields.ts';
import { forEach } from '../../core/http/request/limiter.ts';
import { type ListedVersion, presentAmong, versionsOf } from '../../core/http/versions.ts';
import { sh } from '../../core/lib/hint.ts';
import { type JsonObject, textAt } from '../../core/lib/json.ts';
import { once } from '../../core/lib/waiting.ts';
import * as routes from '../../core/routes.ts';
import { asCode, type Code, type CodeHash, hasSameCode, sameCodeWithId } from '../code.ts';
import type { ValVersion } from '../compare/types.ts';

/** What is known of the val of a name. */
export type Remote =
  | { kind: 'none' }
  /** The service cannot list vals, and no val of this name is known. There may be one. */
  | { kind: 'unknown' }
  | RemoteVal;

export interface RemoteVal {
  kind: 'val';
  id: string;
  name: string;
  version: number | undefined;
  /** Its hash alone, if only a list told it. */
  code: Code | CodeHash;
  /** When the version was made, and by whom. */
  madeAt: string | undefined;
  madeBy: string | undefined;
  privacy: string | undefined;
  etag: string | undefined;
  /** Undefined if it is the caller's. */
  owner: string | undefined;
}

export interface ValWithCode extends RemoteVal {
  code: Code;
}

/** A second look found the val as it was compared. Where a val tells no version, its code tells. */
export const isSameState = (now: RemoteVal, before: RemoteVal): boolean =>
  now.owner === undefined &&
  (now.name === '' || now.name === before.name) &&
  (now.version === undefined || now.version === before.version) &&
  hasSameCode(now.code, before.code);

export interface Remotes {
  /** The caller's val of this name. It is not read where the list tells that it has the code that is here. */
  find(name: string, here: Code): Promise<Remote>;
  /** From now on, this is the val of the name: the user gave its id, and the file has no other val. */
  choose(name: string, id: string): void;
  /** The caller's val with this id, whatever its name. Undefined if it is gone or somebody else's. */
  withId(id: string): Promise<ValWithCode | undefined>;
  /** Undefined if there is no such val, or if the caller may not read it. Others' vals, too. */
  read(id: string): Promise<ValWithCode | undefined>;
  /** A second look, for a decision just before a write. */
  fresh(id: string): Promise<ValWithCode | undefined>;
  /** With its code. Undefined if it is gone by now. */
  withCode(val: RemoteVal): Promise<ValWithCode | undefined>;
  /** With the number of its version, which the list of its versions tells where the val does not. */
  withVersion<Val extends RemoteVal>(val: Val): Promise<Val>;
  /** Somebody else is its author, or the list of its versions, if that was read, is not for the caller. */
  isOthers(val: RemoteVal): Promise<boolean>;
  /** It has never had other code, as far as the list of its versions tells. */
  hasOneVersion(val: RemoteVal): Promise<boolean>;
  /**
   * The number of the version that a write has just made, or of the newest one if the one before is not known. `several`:
   * others made versions, too, so no list tells which one it is. Undefined if the list of versions does not tell it.
   */
  versionAfter(val: RemoteVal): Promise<number | 'several' | undefined>;
  /** The newest 20 versions, oldest first. The last one is the val as it is now. */
  versions(val: RemoteVal): Promise<ValVersion[]>;
  /** The code of a version. Undefined if the version is gone by now. */
  codeOf(val: RemoteVal, version: ValVersion): Promise<Code | undefined>;
}

interface Lookup {
  api: Api;
  seen: SeenVals;
  valList: ValList;
}

/** What this folder knows of the ids of its vals. */
interface KnownIds {
  /** Of the last sync of a name. */
  synced(name: string): string | undefined;
  /** Of vals.json, by name. Only a service that cannot list vals is asked for them. */
  manifestIds: ReadonlyMap<string, string>;
  /** The names of the files that are here. */
  names: ReadonlySet<string>;
}

/** For fewer vals, the list is not read if their ids are known. */
const fewestForList = 5;

/** `count` is how many vals a command asks for. */
export function createRemotes(lookup: Lookup, known: KnownIds, count: number): Remotes {
  const { api, seen, valList } = lookup;
  const { isMe, all: list } = valList;
  const reads = new Map<string, Promise<ValWithCode | undefined>>();
  const chosen = new Map<string, string>();
  const lists = new Map<string, Promise<ListedVersion[] | undefined>>();
  const readSeen = once(async () => {
    const { me, vals } = seen.recall();
    const owner = vals.find((val) => val.owner && !val.mine)?.owner;
    // Whose a val is that was only read by its id, the answer of /v1/me tells. It is remembered.
    if (me === undefined && owner !== undefined) await isMe(owner);
    return seen.recall().mine;
  });

  async function fresh(id: string): Promise<ValWithCode | undefined> {
    try {
      const { record, etag } = await api.recordWithEtag(routes.getVal(id));
      const owner = ownerOf(record);
      const isMine = await isMe(owner?.id);
      return { ...valFrom(id, record), etag, owner: isMine ? undefined : (owner?.username ?? owner?.id) };
    } catch (error) {
      return undefinedIfHidden(error);
    }
  }

  function read(id: string): Promise<ValWithCode | undefined> {
    const reading = reads.get(id) ?? fresh(id);
    reads.set(id, reading);
    return reading;
  }

  async function readMine(id: string): Promise<ValWithCode | undefined> {
    const val = await read(id);
    return val?.owner === undefined ? val : undefined;
  }

  /** Undefined if the service does not show them to the caller: the val is somebody else's. */
  function listById(id: string): Promise<ListedVersion[] | undefined> {
    const reading = lists.get(id) ?? versionsOf(api, id).catch(undefinedIfHidden);
    lists.set(id, reading);
    return reading;
  }

  const versionsById = async (id: string): Promise<ListedVersion[]> => (await listById(id)) ?? [];

  async function withVersion<Val extends RemoteVal>(val: Val): Promise<Val> {
    if (val.version !== undefined) return val;
    const numbers = (await versionsById(val.id)).map(({ number }) => number);
    return { ...val, version: presentAmong(numbers, undefined) };
  }

  /** Only a list with `codeHash` tells what code a val has. */
  async function fromList(listed: ValInList, here: Code): Promise<RemoteVal | undefined> {
    const { id, name = '', version, codeHash, privacy, madeAt, madeBy } = listed;
    if (codeHash === undefined) return readMine(id);
    const code = sameCodeWithId(here, codeHash) ?? { text: undefined, blob: codeHash };
    return {
      ...{ kind: 'val', id, name, version, code, privacy, madeAt, madeBy },
      ...{ etag: undefined, owner: undefined },
    };
  }

  async function namedInList(name: string, here: Code): Promise<Remote> {
    const mine = await valList.named(name);
    const only = onlyOne(
      mine.map(({ id }) => ({ id, name })),
      `are named "${name}"`,
    );
    const one = mine.find(({ id }) => id === only?.id);
    return (one && (await fromList(one, here))) ?? { kind: 'none' };
  }

  /** The val, if it still has the name. A service that sends no name has not renamed it. */
  async function named(name: string, id: string | undefined): Promise<RemoteVal | undefined> {
    const val = id === undefined ? undefined : await read(id);
    return val?.name === name || val?.name === '' ? { ...val, name } : undefined;
  }

  /** The id of vals.json decides alone, then that of the last sync. Only then counts what this machine has seen. */
  async function byKnownId(name: string): Promise<RemoteVal | undefined> {
    const manifestIds = known.manifestIds.get(name) ?? chosen.get(name);
    if (manifestIds !== undefined) return named(name, manifestIds);
    const synced = await named(name, known.synced(name));
    if (synced?.owner === undefined && synced !== undefined) return synced;
    const found: RemoteVal[] = [];
    for (const { id } of (await readSeen()).filter((val) => val.name === name)) {
      const val = await named(name, id);
      if (val !== undefined && val.owner === undefined) found.push(val);
    }
    onlyOne(found, `are named "${name}"`);
    return found[0];
  }

  /** The present name of a val decides its file, so an entry of vals.json may have an earlier name. */
  const byPresentName = once(async () => {
    const ids = [...known.manifestIds].flatMap(([name, id]) => (known.names.has(name) ? [] : id));
    const found = new Map<string, RemoteVal>();
    await forEach(ids, 'auto', async (id) => {
      const val = await readMine(id);
      if (val !== undefined) found.set(val.name, val);
    });
    return found;
  });

  return {
    read,
    fresh,
    async find(name, here) {
      const readsList = count >= fewestForList && (await list()) !== undefined;
      const knownVal = readsList ? undefined : await byKnownId(name);
      if (knownVal !== undefined) return knownVal;
      if ((await list()) !== undefined) return namedInList(name, here);
      return (await byPresentName()).get(name) ?? { kind: 'unknown' };
    },
    choose: (name, id) => void chosen.set(name, id),
    withId: readMine,
    withVersion,
    isOthers: async ({ id, owner }) =>
      owner !== undefined || (lists.has(id) && (await listById(id)) === undefined),
    hasOneVersion: async ({ id }) => (await versionsById(id)).length === 1,
    async versionAfter({ id, version: before }) {
      // The write is done. That nothing more is known of it is no failure.
      const all = await versionsOf(api, id).catch(() => []);
      if (before === undefined) return all.at(-1)?.number;
      const [made, another] = all.filter(({ number }) => number > before);
      return another === undefined ? made?.number : 'several';
    },
    async versions(val) {
      const all = await versionsById(val.id);
      const { id, version, code, madeAt } = await withVersion(val);
      const earlier =
        version === undefined ? [] : all.filter(({ number }) => number < version).slice(1 - newestVersions);
      const codes = new Map<number, Code | CodeHash>();
      await forEach(earlier, 'auto', async (each) => {
        const found = codeInList(each) ?? (await readVersion(api, id, each.number));
        if (found !== undefined) codes.set(each.number, found);
      });
      const known = earlier.flatMap(({ number, madeAt }): ValVersion[] => {
        const found = codes.get(number);
        return found === undefined ? [] : [{ version: number, code: found, madeAt }];
      });
      const listed = all.find(({ number }) => number === version);
      return [...known, { version, code, madeAt: listed?.madeAt ?? madeAt }];
    },
    async codeOf({ id, version: present }, { version, code }) {
      if (code.text !== undefined) return code;
      if (version === undefined || version === present) return (await read(id))?.code;
      return readVersion(api, id, version);
    },
    async withCode(val) {
      const { id, code } = val;
      return code.text === undefined ? read(id) : { ...val, code };
    },
  };
}

const newestVersions = 20;

/** It is not there, or the caller may not see it. */
function undefinedIfHidden(error: unknown): undefined {
  if (!(error instanceof NotFoundError) && !hasStatus(error, 403)) throw error;
}

function codeInList({ code, codeHash }: ListedVersion): Code | CodeHash | undefined {
  if (code !== undefined) return asCode(code);
  return codeHash === undefined ? undefined : { text: undefined, blob: codeHash };
}

export const noValOfId = (id: string, service: string): NotFoundError =>
  new NotFoundError(`There is no val ${id} on ${service}, or you are not allowed to read it.`, {
    hint: sh`To list your vals, run ${['ls']}.`,
  });

/** Undefined if the version was deleted meanwhile. */
async function readVersion(api: Lookup['api'], id: string, version: number): Promise<Code | undefined> {
  const record = await api.record(routes.getVersion(id, version)).catch(undefinedIf(NotFoundError));
  return typeof record?.code === 'string' ? asCode(record.code) : undefined;
}

function valFrom(id: string, record: JsonObject): Omit<ValWithCode, 'etag' | 'owner'> {
  const { code } = record;
  const name = textAt(record, 'name') ?? '';
  if (typeof code !== 'string') {
    throw new BadResponseError(`The service sent no code for the val ${name || id}.`, {
      hint: sh`To see the answer, run ${['val', 'get', id]}.`,
    });
  }
  return {
    kind: 'val',
    id,
    name,
    version: versionOf(record),
    code: asCode(code),
    privacy: textAt(record, 'privacy'),
    ...newestVersionOf(record),
  };
}
