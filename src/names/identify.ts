// Says which val a word or a path stands for: a val of a workspace, a whole id, a val that this machine has seen, a val
// in the list of the service, or the beginning of an id. Names are looked up among the caller's own vals.
import type { Api } from '../api/api.ts';
import { textAt } from '../api/record-fields.ts';
import * as routes from '../api/routes.ts';
import { ConflictError, NotFoundError, undefinedIf, ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { namePattern } from '../lib/val-limits.ts';
import type { Settings } from '../settings/settings.ts';
import { nameFrom } from '../workspace/sources/val-names.ts';
import type { WorkspaceVal } from '../workspace/vals.ts';
import { valOfFile, type Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { createListedVals, type ListedVals } from './listed-vals.ts';
import type { Lookup } from './my-vals.ts';
import type { SeenVal } from './seen-file.ts';
import type { SeenVals } from './seen-vals.ts';
import { isSignedOut, type NamedVal, onlyOne, unknownWord, withoutId, withoutToken } from './unknown-word.ts';

export interface Identity {
  source: 'workspace' | 'id' | 'seen' | 'list';
  id: string;
  /** Undefined if the user gave an id, or the beginning of an id. */
  name?: string;
  /** Of a val of a workspace. */
  place?: Pick<ValInWorkspace, 'workspace' | 'val'>;
}

export interface ValInWorkspace {
  workspace: Workspace;
  val: WorkspaceVal;
  /** Undefined if neither vals.json nor a record has the id. */
  id: string | undefined;
}

/** Asks no service. Returns undefined if no val of a workspace has this file, name or id. */
export function identifyInWorkspace(workspaces: Workspaces, word: string): ValInWorkspace | undefined {
  const place = workspaces.placeOf(word);
  const ofFile = place && valOfFile(place.workspace, place.file);
  const workspace = ofFile === undefined ? workspaces.here() : place?.workspace;
  const val = ofFile ?? workspace?.vals.ofName(word) ?? workspace?.vals.ofId(word);
  return workspace && val && { workspace, val, id: workspace.idOf(val) };
}

export interface FileIdentityOptions {
  workspaces: Workspaces;
  mostSeconds: number;
}

/** The id of the val that a push of the file would update. Reads the list of the service, but no val. */
export async function idOfFile(
  lookup: Lookup,
  path: string,
  { workspaces, mostSeconds }: FileIdentityOptions,
): Promise<string | undefined> {
  const listed = identifyInWorkspace(workspaces, path);
  if (listed?.id !== undefined) return listed.id;
  const name = listed?.val.name ?? nameFrom(path);
  if (name === undefined) return undefined;
  const { ids } = await createListedVals(lookup, 'all', { mostSeconds }).idsWithName(name);
  return onlyOne(
    ids.map((id) => ({ id, name })),
    `are named "${name}"`,
  )?.id;
}

export interface IdentifyOptions {
  settings: Settings;
  seen: SeenVals;
  clock: Clock;
  workspaces: Workspaces;
  connect(): Promise<Api>;
  /** A write by an outdated name could change another val, so the val is read first. */
  isForWriting: boolean;
  /** The same for names that vals.json has. */
  confirmsListedVals: boolean;
  onRead(id: string, record: JsonObject, etag: string | undefined): void;
}

export type Identify = (word: string) => Promise<Identity>;

export function createIdentify(options: IdentifyOptions): Identify {
  const { workspaces, confirmsListedVals } = options;
  const own = createOwnVals(options);

  async function idOf(word: string, { workspace, val, id }: ValInWorkspace): Promise<string> {
    if (id !== undefined) {
      if (confirmsListedVals && word !== id) await own.confirm({ id, name: val.name });
      return id;
    }
    const found = (await own.seenWithName(val.name)) ?? (await own.listedWithName(val.name));
    if (found === undefined) throw withoutId(workspace, val);
    return found.id;
  }

  /** A name has precedence over the beginning of an id. So the list is read first if the word can be a name. */
  async function byListOrId(word: string): Promise<Identity | undefined> {
    const readsList = namePattern.test(word) && !isSignedOut(options.settings);
    if (readsList) return (await own.listedWithName(word)) ?? own.withIdPrefix(word);
    return (await own.withIdPrefix(word)) ?? own.listedWithName(word);
  }

  return async (word) => {
    if (routes.looksLikeId(word)) return { source: 'id', id: word };
    const listed = identifyInWorkspace(workspaces, word);
    if (listed !== undefined) {
      const { workspace, val } = listed;
      return { source: 'workspace', id: await idOf(word, listed), name: val.name, place: { workspace, val } };
    }
    const found = (await own.seenWithName(word)) ?? (await byListOrId(word));
    if (found !== undefined) return found;
    throw unknownWord(word, { workspaces, ...(await own.names()) });
  };
}

interface OwnVals {
  /** Throws if two vals have the name. */
  seenWithName(name: string): Promise<Identity | undefined>;
  listedWithName(name: string): Promise<Identity | undefined>;
  withIdPrefix(word: string): Promise<Identity | undefined>;
  /** Throws if the val has another name on the service now. */
  confirm(val: NamedVal): Promise<void>;
  /** For suggestions. */
  names(): Promise<{ names: string[]; isListed: boolean }>;
}

const shortestIdPrefix = 6;

function createOwnVals(options: IdentifyOptions): OwnVals {
  const { settings, seen, connect, onRead } = options;
  let list: ListedVals | undefined;

  async function openList(): Promise<ListedVals> {
    list ??= createListedVals({ ...options, api: await connect() }, 'all');
    return list;
  }

  return {
    async seenWithName(name) {
      const { mine } = await seen.recall();
      const ids = mine.filter((val) => val.name === name).map(({ id }) => id);
      const found = await valNamed(name, ids, options);
      return found && { source: 'seen', ...found };
    },
    async listedWithName(name) {
      if (isSignedOut(settings)) throw withoutToken(settings, name);
      const { ids } = await (await openList()).idsWithName(name);
      const found = await valNamed(name, ids, options);
      return found && { source: 'list', ...found };
    },
    async withIdPrefix(word) {
      const { vals } = await seen.recall();
      const whole = vals.find(({ id }) => id === word);
      const id = whole?.id ?? onlyOne(idsFrom(vals, word), `have ids that begin with "${word}"`)?.id;
      return id === undefined ? undefined : { source: 'seen', id };
    },
    async confirm({ id, name }) {
      const { record, etag } = await (await connect()).recordWithEtag(routes.getVal(id));
      onRead(id, record, etag);
      const nameNow = textAt(record, 'name') ?? name;
      if (nameNow !== name) throw otherName({ id, name }, nameNow);
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

/** Of vals that have this name, or had it when this machine saw them, the one that has it now. */
async function valNamed(
  name: string,
  ids: readonly string[],
  { connect, onRead, isForWriting }: IdentifyOptions,
): Promise<NamedVal | undefined> {
  const [first, another] = ids;
  if (first === undefined) return undefined;
  if (another === undefined && !isForWriting) return { id: first, name };
  const api = await connect();
  const found: NamedVal[] = [];
  for (const id of ids) {
    const read = await api.recordWithEtag(routes.getVal(id)).catch(undefinedIf(NotFoundError));
    if (read === undefined) continue;
    const nameNow = textAt(read.record, 'name') ?? name;
    if (nameNow === name) {
      found.push({ id, name });
      onRead(id, read.record, read.etag);
    } else if (another === undefined) throw otherName({ id, name }, nameNow);
  }
  return onlyOne(found, `are named "${name}"`);
}

function idsFrom(vals: readonly SeenVal[], word: string): SeenVal[] {
  const prefix = word.toLowerCase();
  return word.length < shortestIdPrefix ? [] : vals.filter(({ id }) => id.toLowerCase().startsWith(prefix));
}

const otherName = ({ id, name }: NamedVal, nameNow: string): ConflictError =>
  new ConflictError(`The val "${name}" is named "${nameNow}" on the service. Nothing was done.`, {
    hint: `To use the val "${nameNow}", give its id: ${id}.`,
  });
