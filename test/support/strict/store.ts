import { createHash, randomUUID } from 'node:crypto';
import type { Run, Switches } from './switches.ts';

export interface Person {
  id: string;
  username: string;
}

export interface Version {
  version: number;
  code: string;
  createdAt: string;
  author: Person;
}

export interface Val {
  id: string;
  name: string;
  readme: string;
  privacy: string;
  owner: Person;
  /** Oldest first; the last one is current. */
  versions: Version[];
  nextVersion: number;
  createdAt: string;
  updatedAt: string;
  /** Grows with each change. */
  state: number;
}

export interface Fields {
  name?: string;
  code?: string;
  readme?: string;
  privacy?: string;
}

/** The vals of one service, in memory. */
export interface Store {
  people: Map<string, Person>;
  spaces: Person[];
  vals: Map<string, Val>;
  runs: Run[];
  lastTime: number;
}

export const newStore = ({ runs = [], spaces = [] }: Switches): Store => ({
  people: new Map(),
  spaces: spaces.map((username) => ({ id: randomUUID(), username })),
  vals: new Map(),
  runs: [...runs],
  lastTime: 0,
});

/** Each time is later than the last one. */
function nextTime(store: Store, { now = Date.now }: Switches): string {
  store.lastTime = Math.max(store.lastTime + 1, now());
  return new Date(store.lastTime).toISOString();
}

export const currentOf = ({ versions }: Val): Version => versions.at(-1) as Version;

export const valNamed = (store: Store, owner: Person, name: string): Val | undefined =>
  [...store.vals.values()].find((val) => val.owner.id === owner.id && val.name === name);

export interface Write {
  owner: Person;
  author: Person;
}

export function createVal(
  store: Store,
  switches: Switches,
  by: Write,
  fields: Fields & { name: string },
): Val {
  const at = nextTime(store, switches);
  const val: Val = {
    id: randomUUID(),
    name: fields.name,
    readme: fields.readme ?? '',
    privacy: fields.privacy ?? switches.privacy ?? 'private',
    owner: by.owner,
    versions: [],
    nextVersion: switches.firstVersion ?? 1,
    createdAt: at,
    updatedAt: at,
    state: 0,
  };
  store.vals.set(val.id, val);
  addVersion(store, switches, by, val, fields.code ?? '');
  return val;
}

/** Returns whether there is a new version. */
export function addVersion(
  store: Store,
  switches: Switches,
  { author }: Write,
  val: Val,
  code: string,
): boolean {
  if (val.versions.length > 0 && currentOf(val).code === code && !switches.repeats) return false;
  const createdAt = nextTime(store, switches);
  val.versions.push({ version: val.nextVersion, code, createdAt, author });
  val.nextVersion += 1;
  val.updatedAt = createdAt;
  val.state += 1;
  return true;
}

export function changeFields(
  store: Store,
  switches: Switches,
  val: Val,
  { name, readme, privacy }: Fields,
): void {
  val.name = name ?? val.name;
  val.readme = readme ?? val.readme;
  val.privacy = privacy ?? val.privacy;
  val.updatedAt = nextTime(store, switches);
  val.state += 1;
}

export const etagOf = (val: Val): string => `"${val.id}-${val.state}"`;

const hashOf = (code: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(code)}\0`)
    .update(code)
    .digest('hex');

export function valRecord(val: Val, switches: Switches, at = currentOf(val)): object {
  const { id, name, readme, privacy, owner, createdAt } = val;
  return {
    ...{ id, name, code: at.code, readme, privacy, version: at.version, author: owner },
    ...(switches.times !== false && { createdAt, versionCreatedAt: at.createdAt }),
    ...(switches.codeHash && { codeHash: hashOf(at.code) }),
  };
}

export function listedVal(val: Val, switches: Switches): object {
  const { code: _left, readme: _out, ...listed } = valRecord(val, switches) as Record<string, unknown>;
  return listed;
}

export const listedVersion = (
  { id }: Val,
  { version, code, createdAt }: Version,
  switches: Switches,
): object => ({
  ...{ val_id: id, version },
  ...(switches.times !== false && { createdAt }),
  ...(switches.versionCode && { code }),
  ...(switches.codeHash && { codeHash: hashOf(code) }),
});
