import { createHash, randomUUID } from 'node:crypto';
import type { Switches } from './switches.ts';

export interface Person {
  id: string;
  username: string;
}

interface Version {
  version: number;
  code: string;
  createdAt: string;
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
  /** Grows with each change. */
  state: number;
}

interface Fields {
  id?: string;
  name?: string;
  code?: string;
  readme?: string;
  privacy?: string;
}

export interface Run {
  id: string;
  val: { id: string };
  runStartAt: string;
  error: unknown;
  logs: string;
}

/** The vals of one service, in memory. */
export interface Store {
  people: Map<string, Person>;
  vals: Map<string, Val>;
  runs: Run[];
  lastTime: number;
}

export const newStore = (): Store => ({ people: new Map(), vals: new Map(), runs: [], lastTime: 0 });

/** Each time is later than the last one. */
function nextTime(store: Store, { now = Date.now }: Switches): string {
  store.lastTime = Math.max(store.lastTime + 1, now());
  return new Date(store.lastTime).toISOString();
}

export const currentOf = ({ versions }: Val): Version => versions.at(-1) as Version;

export const valNamed = (store: Store, owner: Person, name: string): Val | undefined =>
  [...store.vals.values()].find((val) => val.owner.id === owner.id && val.name === name);

export function createVal(
  store: Store,
  switches: Switches,
  owner: Person,
  {
    id = randomUUID(),
    name,
    code = '',
    readme = '',
    privacy = switches.privacy ?? 'private',
  }: Fields & { name: string },
): Val {
  const val: Val = {
    ...{ id, name, readme, privacy, owner, versions: [], nextVersion: 1, state: 0 },
    createdAt: nextTime(store, switches),
  };
  store.vals.set(val.id, val);
  addVersion(store, switches, val, code);
  return val;
}

/** Returns whether there is a new version. */
export function addVersion(
  store: Store,
  switches: Switches,
  val: Val,
  code: string,
  { isAlwaysNew = false } = {},
): boolean {
  if (!isAlwaysNew && val.versions.length > 0 && currentOf(val).code === code) return false;
  val.versions.push({ version: val.nextVersion, code, createdAt: nextTime(store, switches) });
  val.nextVersion += 1;
  val.state += 1;
  return true;
}

export function changeFields(val: Val, { name, readme, privacy }: Fields): void {
  val.name = name ?? val.name;
  val.readme = readme ?? val.readme;
  val.privacy = privacy ?? val.privacy;
  val.state += 1;
}

export const etagOf = (val: Val): string => `"${val.id}-${val.state}"`;

const hashOf = (code: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(code)}\0`)
    .update(code)
    .digest('hex');

/** The fields of a val that the interface documents, and those that the switches add. */
export function valRecord(val: Val, switches: Switches, at = currentOf(val)): object {
  const { id, name, readme, privacy, owner, createdAt } = val;
  return {
    ...{ id, name, code: at.code, readme, privacy },
    ...(switches.version && { version: at.version }),
    ...(switches.authors && { author: owner, versionAuthor: owner }),
    ...(switches.times && { createdAt, versionCreatedAt: at.createdAt }),
    ...(switches.codeHash && { codeHash: hashOf(at.code) }),
  };
}

export function listedVal(val: Val, switches: Switches): object {
  const { code: _left, readme: _out, ...listed } = valRecord(val, switches) as Record<string, unknown>;
  return listed;
}

export const listedVersion = ({ version, code, createdAt }: Version, switches: Switches): object => ({
  version,
  ...(switches.codesOfVersions && { code }),
  ...(switches.times && { createdAt }),
  ...(switches.codeHash && { codeHash: hashOf(code) }),
});

/** One version: its number and its code, or the whole val as it was. */
export const oneVersion = (val: Val, at: Version, switches: Switches): object =>
  switches.version ? valRecord(val, switches, at) : { ...listedVersion(at, switches), code: at.code };
