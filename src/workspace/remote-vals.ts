import type { Api } from '../api/api.ts';
import { changedAtOf, ownerOf, textAt, versionOf } from '../api/record-fields.ts';
import * as routes from '../api/routes.ts';
import { BadResponseError, hasStatus, NotFoundError } from '../errors.ts';
import { type JsonObject, type JsonValue, stringifyJson, withoutUndefined } from '../lib/json.ts';
import { createListedVals, type ValInList } from '../names/listed-vals.ts';
import { createIsMe, type Lookup } from '../names/my-vals.ts';
import { onlyOne } from '../names/unknown-word.ts';
import { type CodeFacts, factsOf } from './text/code-facts.ts';

export interface RemoteVal extends CodeFacts {
  id: string | undefined;
  name: string | undefined;
  /** Undefined if the val was only seen in the list. Then the val has the code of the record. */
  code?: string | undefined;
  version: number | undefined;
  /** Differs after each change of the val. */
  changedAt?: string | undefined;
  privacy?: string | undefined;
  /** Undefined if the val was only seen in the list. */
  etag?: string | undefined;
  newestVersion?: { madeAt: string | undefined; madeBy: string | undefined };
}

export interface ReadVal extends RemoteVal {
  code: string;
}

export interface RemoteSide {
  remote: ReadVal | undefined;
  /** Set if the val belongs to somebody else. */
  foreign?: { owner: string | undefined };
}

export interface RemoteVals {
  read(id: string): Promise<RemoteSide>;
  /** Reads vals ahead: the next `read` of the same val takes what this one brought, without a request. */
  ahead: Pick<RemoteVals, 'read' | 'named' | 'listed'>;
  listed(id: string): Promise<ValInList | undefined>;
  /** Returns 'unknown' if the service cannot list vals. */
  named(name: string): Promise<ReadVal | 'unknown' | undefined>;
  all(): Promise<ValInList[] | undefined>;
}

export function createRemoteVals(lookup: Lookup, valCount: number | 'all'): RemoteVals {
  const list = createListedVals(lookup, valCount);
  const isMe = createIsMe(lookup);

  const read = (id: string) => readSide(lookup.api, isMe, id);
  const kept = new Map<string, RemoteSide>();

  async function readKept(id: string): Promise<RemoteSide> {
    const side = kept.get(id) ?? (await read(id));
    kept.delete(id);
    return side;
  }

  async function readAhead(id: string): Promise<RemoteSide> {
    const side = kept.get(id) ?? (await read(id));
    kept.set(id, side);
    return side;
  }

  async function listed(id: string): Promise<ValInList | undefined> {
    const found = await list.withId(id);
    return found !== undefined && (await isMe(found.owner)) ? found : undefined;
  }

  const namedBy = (readOne: typeof read) => async (name: string) => {
    const { ids, isWholeList } = await list.idsWithName(name);
    const mine: ReadVal[] = [];
    for (const id of ids) {
      const { remote, foreign } = await readOne(id);
      if (remote !== undefined && foreign === undefined && (remote.name ?? name) === name) mine.push(remote);
    }
    onlyOne(
      mine.map(({ id = '' }) => ({ id, name })),
      `are named "${name}"`,
    );
    return mine[0] ?? (isWholeList ? undefined : 'unknown');
  };

  return {
    read: readKept,
    ahead: { read: readAhead, named: namedBy(readAhead), listed },
    listed,
    named: namedBy(readKept),
    all: list.all,
  };
}

async function readSide(api: Api, isMe: ReturnType<typeof createIsMe>, id: string): Promise<RemoteSide> {
  try {
    const { record, etag } = await api.recordWithEtag(routes.getVal(id));
    const remote = { ...remoteVal(id, record), etag };
    const owner = ownerOf(record);
    if (owner === undefined || (await isMe(owner.id))) return { remote };
    return { remote, foreign: { owner: owner.username ?? owner.id } };
  } catch (error) {
    if (error instanceof NotFoundError) return { remote: undefined };
    if (hasStatus(error, 403)) return { remote: undefined, foreign: { owner: undefined } };
    throw error;
  }
}

function remoteVal(id: string, record: JsonObject): ReadVal {
  const { code } = record;
  const name = textAt(record, 'name');
  if (typeof code === 'string') {
    const newestVersion = {
      madeAt: textAt(record, 'versionCreatedAt') ?? textAt(record, 'updatedAt'),
      madeBy: textAt(record, 'versionAuthor.username') ?? textAt(record, 'author.username'),
    };
    const privacy = textAt(record, 'privacy');
    return {
      id,
      name,
      code,
      ...factsOf(code),
      version: versionOf(record),
      changedAt: changedAtOf(record),
      privacy,
      newestVersion,
    };
  }
  throw new BadResponseError(`The service sent no code for the val ${name ?? id}.`, {
    hint: { text: 'To see the answer', command: 'val get', input: { val: id } },
  });
}

export const isSameVersion = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  stringifyJson(a ?? null) === stringifyJson(b ?? null);

export const idAndVersion = (id: string | undefined, version: JsonValue | undefined): JsonObject =>
  withoutUndefined({ id, version });
