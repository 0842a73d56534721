// The file of the vals that were seen: for its owner alone, replaced whole, and worth nothing where it cannot be read.
import { createHash, randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { largest } from '../lib/file-sizes.ts';
import { makeFolder } from '../lib/folders.ts';
import { isObject } from '../lib/json.ts';
import { readPlainFile } from '../lib/plain-file.ts';
import type { Settings } from '../settings/settings.ts';

export interface SeenVal {
  id: string;
  name: string;
  /** As text, digit for digit; absent where the service did not say. */
  version?: string;
  /** The id of its owner, where the service said so. */
  owner?: string;
  /** It was the answer to a write of mine, which not every service says the owner in. */
  mine?: true;
}

/** Of all services and tokens together. */
const mostVals = 10_000;

/** What is known of one service with one token. */
export interface Known {
  me?: string;
  /** By id, the latest last. */
  vals: Map<string, SeenVal>;
}

/** By service and token, the one that was changed last at the end. */
type Everything = Map<string, Known>;

/** The embedded service has one user, and another port each time. The token is not to be found from it. */
export function keyOf({ local, baseUrl, token }: Settings): string {
  const parts = local.value ? ['local'] : [baseUrl?.value.href, token?.value];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** What cannot be read, or is not what we wrote, counts as nothing. */
export function read(file: string): Everything {
  try {
    const content: unknown = JSON.parse(readPlainFile(file, { mostBytes: largest.seen }).toString());
    if (!isObject(content)) return new Map();
    return new Map(Object.entries(content).flatMap(([key, known]) => parseKnown(key, known)));
  } catch {
    return new Map();
  }
}

function parseKnown(key: string, known: unknown): [string, Known][] {
  if (!isObject(known) || !Array.isArray(known.vals)) return [];
  const vals = new Map<string, SeenVal>();
  for (const val of known.vals as unknown[]) {
    if (isSeenVal(val)) vals.set(val.id, val);
  }
  return [[key, { ...(typeof known.me === 'string' && { me: known.me }), vals }]];
}

const isSeenVal = (value: unknown): value is SeenVal => {
  if (!isObject(value)) return false;
  const { id, name, version, owner } = value;
  const isText = (text: unknown) => typeof text === 'string';
  return isText(id) && isText(name) && [version, owner].every((text) => text === undefined || isText(text));
};

/** What was used longest ago is forgotten first. */
export function write(file: string, everything: Everything): void {
  let room = mostVals;
  const kept = [...everything].reverse().flatMap(([key, { me, vals }]) => {
    const latest = room === 0 ? [] : [...vals.values()].slice(-room);
    room -= latest.length;
    return latest.length === 0 && me === undefined ? [] : [[key, { me, vals: latest }] as const];
  });
  makeFolder(dirname(file), 0o700);
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const text = JSON.stringify(Object.fromEntries(kept.reverse()));
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
