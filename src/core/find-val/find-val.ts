// Says which val a word stands for. In this order: a whole id, the path of a file, a name, <owner>/<name>, the beginning of
// an id. One function, for every command.

import { type Api, ifPresent, type ReadVal } from '../http/api.ts';
import { nearest } from '../lib/hint.ts';
import { textAt } from '../lib/json.ts';
import { namePattern } from '../lib/vals.ts';
import * as routes from '../routes.ts';
import type { Settings } from '../settings/settings.ts';
import type { SeenVal, SeenVals } from './seen-vals.ts';
import {
  isSignedOut,
  noValOfFile,
  onlyOne,
  renamedMeanwhile,
  unknownWord,
  withoutToken,
} from './unknown-word.ts';
import type { ValList } from './val-list.ts';

/** A val as the user gave it. */
export interface GivenVal {
  id: string;
  /** What the user typed. */
  word: string;
  /** Undefined if the user gave an id, or the beginning of an id. */
  name?: string;
  /** Set if the val had to be read to find it. */
  read?: ReadVal;
  /** The 2 of NAME@2. */
  version?: number;
}

/** A file, and the name of its val. */
export interface FileOfVal {
  path: string;
  name: string;
  /** The val that the workspace has for the file. It decides alone. */
  chosen?: ChosenVal | undefined;
  /** The id that the record of the file has. */
  syncedId: string | undefined;
}

interface ChosenVal {
  id: string;
  /** It does not have the name of the file any more. `nameNow` is undefined if the service does not show the val. */
  notFound(nameNow: string | undefined): Error;
}

/** What one command knows of the vals of a service. */
export interface KnownVals {
  settings: Settings;
  /** Those that this machine has seen. */
  seen: SeenVals;
  /** Those that the service lists. */
  valList: ValList;
  connect(): Promise<Api>;
}

export interface FindValOptions extends KnownVals {
  /** A write needs the state of the val, so the val is read even if the list has just told its name. */
  isForWriting: boolean;
}

const shortestIdPrefix = 6;

/** `fileOf` returns undefined if the word is no path of a file that is there or that git knows. */
export async function findVal(
  word: string,
  { fileOf, ...options }: FindValOptions & { fileOf(word: string): Promise<FileOfVal | undefined> },
): Promise<GivenVal> {
  const { settings, seen } = options;
  // No file of a val is named like an id.
  if (routes.looksLikeId(word)) return { id: word, word };
  const file = await fileOf(word);
  if (file !== undefined) {
    if (file.chosen !== undefined) return { ...(await findChosen(file.name, file.chosen, options)), word };
    const found = await findNamed(file.name, options, file.syncedId);
    if (found === undefined) throw noValOfFile(file, { isListed: await options.valList.canList() });
    return { ...found, word };
  }
  // A name comes before the beginning of an id, but what cannot be a name needs no list.
  const mayBeName = namePattern.test(word) && !isSignedOut(settings);
  const found =
    (await findOfOwner(word, options)) ??
    (mayBeName ? undefined : findIdPrefix(word, seen.recall())) ??
    (await findNamed(word, options)) ??
    (await findUnowned(word, options)) ??
    findIdPrefix(word, seen.recall());
  if (found !== undefined) return { ...found, word };
  const listed = await options.valList.all();
  const { mine, unowned } = seen.recall();
  const names = (listed ?? [...mine, ...unowned]).flatMap(({ name }) => name ?? []);
  throw unknownWord(word, { names: nearest(word, names), isListed: listed !== undefined });
}

type Found = Omit<GivenVal, 'word' | 'version'>;

/** No other val takes the place of this one, whatever is named so. */
async function findChosen(
  name: string,
  { id, notFound }: ChosenVal,
  options: FindValOptions,
): Promise<Found> {
  if (isSignedOut(options.settings)) throw withoutToken(options.settings, name);
  const { found, other } = await confirm(name, [id], options);
  if (found[0] === undefined) throw notFound(other?.name);
  return found[0];
}

/** The caller's val of this name. Throws if two vals have it. */
export async function findNamed(
  name: string,
  options: FindValOptions,
  syncedId?: string,
): Promise<Found | undefined> {
  const { settings, valList, isForWriting } = options;
  if (isSignedOut(settings)) throw withoutToken(settings, name);
  // Where the val of the record still has the name, no other val counts.
  const synced = await confirm(name, syncedId === undefined ? [] : [syncedId], options);
  const seen =
    synced.found.length > 0 ? synced : await confirm(name, await idsOfMine(name, options), options);
  const remembered = onlyOne(seen.found, `are named "${name}"`);
  if (remembered !== undefined) return remembered;
  const other = synced.other ?? seen.other;
  const listed = (await valList.named(name)).map(({ id }) => ({ id, name }));
  const only = onlyOne(listed, `are named "${name}"`);
  if (only === undefined && other !== undefined) throw renamedMeanwhile(name, other);
  if (only === undefined || !isForWriting) return only;
  const read = await readIfThere(routes.getVal(only.id), options);
  return read && { ...only, read };
}

/** The ids of the caller's vals that had this name when this machine saw them last. */
async function idsOfMine(name: string, { seen, valList }: FindValOptions): Promise<string[]> {
  const { me, vals } = seen.recall();
  const isMine = ({ mine, owner }: SeenVal) => {
    if (mine || (owner !== undefined && owner === me)) return true;
    // Only a machine that does not know who the caller is has to ask.
    return me === undefined && owner ? valList.isMe(owner) : false;
  };
  const ids: string[] = [];
  for (const val of vals) if (val.name === name && (await isMine(val))) ids.push(val.id);
  return ids;
}

/** A val of this name that was only read by its id, where nobody told whose it is. */
async function findUnowned(name: string, options: FindValOptions): Promise<Found | undefined> {
  const ids = options.seen.recall().unowned.flatMap((val) => (val.name === name ? val.id : []));
  const { found } = await confirm(name, ids, options);
  return onlyOne(found, `are named "${name}"`);
}

/** Reads the vals: a remembered name counts only if the val still has it. A service may send no names. */
async function confirm(
  name: string,
  ids: Iterable<string>,
  options: FindValOptions,
): Promise<{ found: (Found & { name: string })[]; other?: { id: string; name: string } }> {
  const found: (Found & { name: string })[] = [];
  let other: { id: string; name: string } | undefined;
  for (const id of ids) {
    const read = await readIfThere(routes.getVal(id), options);
    const nameNow = read && (textAt(read.record, 'name') ?? name);
    if (nameNow === name) found.push({ id, name, read });
    else if (nameNow !== undefined) other = { id, name: nameNow };
  }
  return { found, ...(other && { other }) };
}

/** Undefined if the val is not there (any more). */
async function readIfThere(
  call: ReturnType<typeof routes.getVal>,
  { connect }: Pick<FindValOptions, 'connect'>,
): Promise<ReadVal | undefined> {
  const api = await connect();
  return ifPresent(() => api.recordWithEtag(call));
}

async function findOfOwner(word: string, options: FindValOptions): Promise<Found | undefined> {
  const [, owner, name] = /^@?([^/@\s]+)\/([^/\s]+)$/.exec(word) ?? [];
  if (owner === undefined || name === undefined) return undefined;
  const read = await readIfThere(routes.valOfOwner(owner, name), options);
  const id = read && textAt(read.record, 'id');
  return id === undefined ? undefined : { id, name, read };
}

function findIdPrefix(word: string, { vals }: { vals: readonly SeenVal[] }): Found | undefined {
  const whole = vals.find(({ id }) => id === word);
  const id = whole?.id ?? onlyOne(beginningWith(word, vals), `have ids that begin with "${word}"`)?.id;
  return id === undefined ? undefined : { id };
}

function beginningWith(word: string, vals: readonly SeenVal[]): SeenVal[] {
  const prefix = word.toLowerCase();
  return word.length < shortestIdPrefix ? [] : vals.filter(({ id }) => id.toLowerCase().startsWith(prefix));
}
