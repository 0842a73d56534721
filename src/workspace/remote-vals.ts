import { fieldOf } from '../api/change-val.ts';
import { changedAtOf, isTooLong, notThisService, ownerOf, textAt, versionOf } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { AuthError, BadResponseError, NotFoundError, type ValsError } from '../errors.ts';
import { type JsonObject, type JsonValue, stringifyJson, withoutUndefined } from '../lib/json.ts';
import { shell } from '../lib/shell-command.ts';
import type { Turn } from '../lib/slots.ts';
import { createCallerCheck } from '../names/caller.ts';
import { createListedVals, type ListedVal, type ListedVals } from '../names/listed-vals.ts';
import { createTimeCheck, type Lookup } from '../names/my-vals.ts';

export interface RemoteVal {
  id: string | undefined;
  name: string | undefined;
  code: string;
  version: JsonValue | undefined;
  changedAt?: string | undefined;
  privacy?: string | undefined;
}

type ValFacts = Pick<RemoteVal, 'name' | 'changedAt' | 'version'>;

export interface RemoteSide {
  remote: RemoteVal | undefined;
  foreign?: { owner: string | undefined };
  isOwnerUnknown?: boolean;
}

export interface RemoteVals {
  read(id: string): Promise<RemoteSide>;
  listed(id: string): Promise<ListedVal | undefined>;
  named(name: string): Promise<RemoteVal | 'unknown' | undefined>;
  hasOtherValNamed(name: string, id: string): Promise<boolean>;
  readonly listProblem: ValsError | undefined;
  all(): Promise<ListedVal[] | undefined>;
  /** Shares the list of vals. Reads a large val only in this turn. */
  inTurn(turn: Turn): RemoteVals;
}

export function createRemoteVals(lookup: Lookup, valCount: number | 'all'): RemoteVals {
  return remoteVals(lookup, createListedVals(lookup, valCount), createCallerCheck(lookup), undefined);
}

function remoteVals(
  lookup: Lookup,
  list: ListedVals,
  isCaller: ReturnType<typeof createCallerCheck>,
  turn: Turn | undefined,
): RemoteVals {
  const { api } = lookup;

  /** Returns only the known fields, because the record of a hostile service may have a million other values. */
  async function readFields(id: string) {
    const record = await api.record({ ...routes.getVal(id), turn });
    return { remote: remoteVal(id, record), owner: ownerOf(record) };
  }

  /** A hostile service could send the token in these values. Then the files of the workspace would reveal the token. */
  function checkFacts(id: string, { name = '', changedAt = '', version = null }: ValFacts): void {
    const facts = [id, name, changedAt, stringifyJson(version)];
    if (facts.some(api.holdsToken)) throw sentToken();
    if (facts.some(isTooLong)) throw sentTooMuch();
  }

  async function read(id: string): Promise<RemoteSide> {
    try {
      const { remote, owner } = await readFields(id);
      checkFacts(id, remote);
      if (owner === undefined) return { remote, isOwnerUnknown: true };
      if (await isCaller(owner.id)) return { remote };
      return { remote, foreign: { owner: owner.username ?? owner.id } };
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
      if (found === undefined || !(await isCaller(found.owner))) return undefined;
      checkFacts(id, found);
      return found;
    },
    async named(name) {
      const { ids, isWholeList } = await list.idsWithName(name);
      const checkTime = createTimeCheck(lookup, name);
      for (const id of ids) {
        checkTime();
        const { remote, foreign } = await read(id);
        if (remote !== undefined && foreign === undefined && (remote.name ?? name) === name) return remote;
      }
      return isWholeList ? undefined : 'unknown';
    },
    async hasOtherValNamed(name, id) {
      const { ids } = await list.idsWithName(name);
      return ids.length > 0 && !ids.includes(id);
    },
    get listProblem() {
      return list.problem;
    },
    all: list.all,
    inTurn: (turn) => remoteVals(lookup, list, isCaller, turn),
  };
}

function remoteVal(id: string, record: JsonObject): RemoteVal {
  const { code } = record;
  const name = textAt(record, 'name');
  if (typeof code === 'string') {
    const privacy = fieldOf(record, 'privacy');
    return { id, name, code, version: versionOf(record), changedAt: changedAtOf(record), privacy };
  }
  throw new BadResponseError(`The service sent no code for the val ${name ?? id}.`, {
    hint: `To see the answer, run ${shell`vals val get ${id} --json`}.`,
  });
}

const sentToken = (): BadResponseError =>
  new BadResponseError('The service sent your token as part of a val. Nothing was written.', {
    hint: 'Do not trust this service. Revoke the token, and log in to a service that you know.',
  });

const sentTooMuch = (): BadResponseError =>
  new BadResponseError('The service sent a val whose name, version or time has more than 1,000 characters.', {
    hint: notThisService,
  });

export const isSameVersion = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  stringifyJson(a ?? null) === stringifyJson(b ?? null);

export const idAndVersion = (id: string | undefined, version: JsonValue | undefined): JsonObject =>
  withoutUndefined({ id, version });
