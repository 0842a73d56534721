// Says which val a word stands for. In this order: a path of a file, a whole id, a name, <owner>/<name>, the beginning of
// an id. One function, for every command.

import { undefinedIf, ValsError } from '../errors.ts';
import type { Api } from '../http/api.ts';
import { ifPresent } from '../http/if-present.ts';
import { textAt } from '../http/record-fields.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { namePattern } from '../lib/val-limits.ts';
import * as routes from '../routes.ts';
import type { Settings } from '../settings/settings.ts';
import { createListedVals, type ListedVals } from './listed-vals.ts';
import type { SeenVal } from './seen-file.ts';
import type { SeenVals } from './seen-vals.ts';
import {
  isSignedOut,
  notPushedYet,
  onlyOne,
  renamedMeanwhile,
  unknownWord,
  withoutToken,
} from './unknown-word.ts';

export interface Identity {
  id: string;
  /** Undefined if the user gave an id, or the beginning of an id. */
  name?: string;
}

/** A file, and the name of its val. */
export interface FileOfVal {
  path: string;
  name: string;
  /** The id that the record of the file has. */
  recordedId: string | undefined;
}

export interface IdentifyOptions {
  settings: Settings;
  seen: SeenVals;
  clock: Clock;
  connect(): Promise<Api>;
  /** Undefined if the word is no path of a file that is there or that git knows. */
  fileOf(word: string): Promise<FileOfVal | undefined>;
  /** A write needs the state of the val, so the val is read even if the list has just told its name. */
  isForWriting: boolean;
  /** Of a list of vals. Without it, the list is read to its end. */
  mostSeconds?: number;
  onRead(id: string, record: JsonObject, etag: string | undefined): void;
}

export type Identify = (word: string) => Promise<Identity>;

export function createIdentify(options: IdentifyOptions): Identify {
  const { settings, fileOf } = options;
  const vals = createKnownVals(options);

  /** A name has precedence over the beginning of an id. So the list is read first if the word can be a name. */
  async function byNameOrId(word: string): Promise<Identity | undefined> {
    const readsList = namePattern.test(word) && !isSignedOut(settings);
    if (readsList) return (await vals.named(word)) ?? vals.withIdPrefix(word);
    return (await vals.withIdPrefix(word)) ?? vals.named(word);
  }

  return async (word) => {
    const file = await fileOf(word);
    if (file !== undefined) {
      const found = await vals.named(file.name, file.recordedId);
      if (found === undefined) throw notPushedYet(file);
      return found;
    }
    if (routes.looksLikeId(word)) return { id: word };
    const found = (await vals.ofOwner(word)) ?? (await byNameOrId(word));
    if (found !== undefined) return found;
    throw unknownWord(word, await vals.names());
  };
}

export interface ReadVal {
  id: string;
  record: JsonObject;
  etag: string | undefined;
}

/** The caller's val of this name, as the service has it now. */
export async function readNamed(
  options: Omit<IdentifyOptions, 'fileOf' | 'isForWriting' | 'onRead'>,
  name: string,
  recordedId?: string,
): Promise<ReadVal | undefined> {
  const read = new Map<string, Omit<ReadVal, 'id'>>();
  const vals = createKnownVals({
    ...options,
    isForWriting: true,
    onRead: (id, record, etag) => read.set(id, { record, etag }),
  });
  const found = await vals.named(name, recordedId);
  const val = found && read.get(found.id);
  return found && val && { id: found.id, ...val };
}

interface KnownVals {
  /** The caller's val of this name. Throws if two vals have it. */
  named(name: string, recordedId?: string): Promise<Identity | undefined>;
  /** Undefined if the word is not <owner>/<name>. */
  ofOwner(word: string): Promise<Identity | undefined>;
  withIdPrefix(word: string): Promise<Identity | undefined>;
  /** For suggestions. */
  names(): Promise<{ names: string[]; isListed: boolean }>;
}

const shortestIdPrefix = 6;

function createKnownVals(options: Omit<IdentifyOptions, 'fileOf'>): KnownVals {
  const { settings, seen, connect, onRead, mostSeconds } = options;
  let list: ListedVals | undefined;

  async function openList(): Promise<ListedVals> {
    list ??= createListedVals(
      { ...options, api: await connect() },
      mostSeconds === undefined ? {} : { mostSeconds },
    );
    return list;
  }

  async function read(call: ReturnType<typeof routes.getVal>): Promise<JsonObject | undefined> {
    const api = await connect();
    const found = await ifPresent(() => api.recordWithEtag(call));
    const id = textAt(found?.record ?? null, 'id') ?? call.val;
    if (found !== undefined && id !== undefined) onRead(id, found.record, found.etag);
    return found?.record;
  }

  /** A remembered name is confirmed. If the val has another name by now, the list has to tell. */
  async function confirmed(
    name: string,
    ids: Iterable<string>,
  ): Promise<{ found: Identity[]; other?: Identity }> {
    const found: Identity[] = [];
    let other: Identity | undefined;
    for (const id of ids) {
      const record = await read(routes.getVal(id));
      if (record === undefined) continue;
      const nameNow = textAt(record, 'name') ?? name;
      if (nameNow === name) found.push({ id, name });
      else other = { id, name: nameNow };
    }
    return { found, ...(other && { other }) };
  }

  async function seenIds(name: string): Promise<string[]> {
    const { mine } = await seen.recall();
    return mine.filter((val) => val.name === name).map(({ id }) => id);
  }

  async function idsInList(name: string): Promise<string[]> {
    const listed = await openList();
    await listed.readUntil(Number.POSITIVE_INFINITY);
    return listed.named(name).map(({ id }) => id);
  }

  return {
    async named(name, recordedId) {
      const ids = new Set([...(recordedId === undefined ? [] : [recordedId]), ...(await seenIds(name))]);
      const { found, other } = await confirmed(name, ids);
      const remembered = onlyOf(found, name);
      if (remembered !== undefined) return remembered;
      if (isSignedOut(settings)) throw withoutToken(settings, name);
      const listed = onlyOf(
        (await idsInList(name)).map((id) => ({ id, name })),
        name,
      );
      if (listed === undefined) {
        // Only now it is known who the caller is, and so which of the seen vals are the caller's.
        const others = (await seenIds(name)).filter((id) => !ids.has(id));
        const mine = onlyOf((await confirmed(name, others)).found, name);
        if (mine === undefined && other !== undefined) throw renamedMeanwhile(name, other);
        return mine;
      }
      if (options.isForWriting) await read(routes.getVal(listed.id));
      return listed;
    },
    async ofOwner(word) {
      const [, owner, name] = /^@?([^/@\s]+)\/([^/\s]+)$/.exec(word) ?? [];
      if (owner === undefined || name === undefined) return undefined;
      const record = await read(routes.valOfOwner(owner, name));
      const id = textAt(record ?? null, 'id');
      return id === undefined ? undefined : { id, name };
    },
    async withIdPrefix(word) {
      const { vals } = await seen.recall();
      const whole = vals.find(({ id }) => id === word);
      const id = whole?.id ?? onlyOne(idsFrom(vals, word), `have ids that begin with "${word}"`)?.id;
      return id === undefined ? undefined : { id };
    },
    async names() {
      const { mine } = await seen.recall();
      const all = await (await openList()).all().catch(undefinedIf(ValsError));
      return {
        names: [...mine, ...(all ?? [])].flatMap(({ name }) => name ?? []),
        isListed: all !== undefined,
      };
    },
  };
}

const onlyOf = (found: readonly Identity[], name: string): Identity | undefined =>
  onlyOne(
    found.map(({ id }) => ({ id, name })),
    `are named "${name}"`,
  );

function idsFrom(vals: readonly SeenVal[], word: string): SeenVal[] {
  const prefix = word.toLowerCase();
  return word.length < shortestIdPrefix ? [] : vals.filter(({ id }) => id.toLowerCase().startsWith(prefix));
}
