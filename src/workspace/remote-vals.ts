// Reads the service's side of a workspace, for one command.
import { changedAtOf, ownerOf, textAt, versionOf } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { AuthError, BadResponseError, NotFoundError } from '../errors.ts';
import { type JsonObject, type JsonValue, stringifyJson, withoutUndefined } from '../lib/json.ts';
import { shell } from '../lib/shell-command.ts';
import { createCallerCheck } from '../names/caller.ts';
import { createListedVals, type ListedVal } from '../names/listed-vals.ts';
import type { Lookup } from '../names/my-vals.ts';

export interface RemoteVal {
  /** Undefined if the service sent none. */
  id: string | undefined;
  /** Undefined if the service sent none. */
  name: string | undefined;
  code: string;
  version: JsonValue | undefined;
  /** Undefined if the service sent none. */
  changedAt?: string | undefined;
}

/** The val belongs to another owner, who may be unknown. */
interface Foreign {
  owner: string | undefined;
}

export interface RemoteSide {
  /** Undefined if there is no such val, or if the caller may not read it. */
  remote: RemoteVal | undefined;
  foreign?: Foreign;
}

export interface RemoteVals {
  read(id: string): Promise<RemoteSide>;
  /** The entry of one of the caller's vals in the service's list; undefined if the list was not read or lacks the val. */
  listed(id: string): Promise<ListedVal | undefined>;
  /** The caller's val of that name; 'unknown' if the service has no list to look it up in. */
  named(name: string): Promise<RemoteVal | 'unknown' | undefined>;
  /** The service's list of the caller's vals; undefined if it has none. */
  all(): Promise<ListedVal[] | undefined>;
}

/** `count` is the number of vals that the command is about. */
export function createRemoteVals(lookup: Lookup, count: number | 'all'): RemoteVals {
  const { api } = lookup;
  const list = createListedVals(lookup, count);
  const isCaller = createCallerCheck(lookup);

  async function read(id: string): Promise<RemoteSide> {
    try {
      const record = await api.record(routes.getVal(id));
      const remote = remoteVal(id, record);
      const { name = '', changedAt = '', version = null } = remote;
      if ([id, name, changedAt, stringifyJson(version)].some(api.holdsToken)) throw sentToken();
      const owner = ownerOf(record);
      if (await isCaller(owner?.id)) return { remote };
      return { remote, foreign: { owner: owner?.username ?? owner?.id } };
    } catch (error) {
      if (error instanceof NotFoundError) return { remote: undefined };
      if (error instanceof AuthError && error.facts.status === 403)
        return { remote: undefined, foreign: { owner: undefined } };
      throw error;
    }
  }

  return {
    read,
    async listed(id) {
      const found = await list.withId(id);
      return found && (await isCaller(found.owner)) ? found : undefined;
    },
    async named(name) {
      const ids = await list.idsWithName(name);
      if (ids === undefined) return 'unknown';
      for (const id of ids) {
        const { remote, foreign } = await read(id);
        if (remote !== undefined && foreign === undefined && (remote.name ?? name) === name) return remote;
      }
      return undefined;
    },
    all: list.all,
  };
}

function remoteVal(id: string, record: JsonObject): RemoteVal {
  const { code } = record;
  const name = textAt(record, 'name');
  if (typeof code === 'string')
    return { id, name, code, version: versionOf(record), changedAt: changedAtOf(record) };
  throw new BadResponseError(`The service sent no code with the val ${name ?? id}.`, {
    hint: `${shell`vals val get ${id} --json`} shows what it sent.`,
  });
}

/** A name would get into vals.json, which is committed, and a version or a time into the base. */
const sentToken = (): BadResponseError =>
  new BadResponseError('The service sent your token as part of a val. Nothing was written.', {
    hint: 'Do not trust this service. Revoke the token, and log in to a service that you know.',
  });

/** A version may be any JSON value. */
export const isSameVersion = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  stringifyJson(a ?? null) === stringifyJson(b ?? null);

export const idAndVersion = (id: string | undefined, version: JsonValue | undefined): JsonObject =>
  withoutUndefined({ id, version });
