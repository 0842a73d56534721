// The file of the vals that this machine has seen: one line for each val, and one for the caller of each service.
import { createHash } from 'node:crypto';
import { isObject } from '../lib/json.ts';
import { readPlainFile } from '../lib/plain-file.ts';
import { replacePrivate } from '../lib/replace-private.ts';
import type { Settings } from '../settings/settings.ts';

export interface SeenVal {
  id: string;
  name: string;
  version?: number | undefined;
  /**
   * An id. Empty if the owner is unknown and probably not the caller, as in a list of likes. Undefined counts as the
   * caller.
   */
  owner?: string | undefined;
  mine?: true;
}

/** What a command has seen and the file does not have yet. */
export interface Notes {
  me: string | undefined;
  vals: ReadonlyMap<string, SeenVal | 'deleted'>;
}

const mostLines = 10_000;

/** The vals in the file and in the notes, the newest last, and the id of the caller. */
export function readSeen(
  file: string | undefined,
  settings: Settings,
  notes: Notes,
): { me: string | undefined; vals: SeenVal[] } {
  const key = keyOf(settings);
  const lines = withNotes(file === undefined ? new Map() : readLines(file), key, notes);
  const me = parse(lines.get(key));
  const ofVals = [...lines].filter(([each]) => each.startsWith(key) && each !== key);
  return {
    me: typeof me === 'string' ? me : undefined,
    vals: ofVals.map(([, json]) => parse(json)).filter(isSeenVal),
  };
}

export function writeSeen(file: string, settings: Settings, notes: Notes): void {
  const before = readLines(file);
  const lines = [...withNotes(before, keyOf(settings), notes)].slice(-mostLines);
  const text = textOf(lines);
  if (text !== textOf(before)) replacePrivate(file, text);
}

/** The key is a digest, because the file must not reveal the token. */
function keyOf(settings: Settings): string {
  const parts = settings.local.value ? ['local'] : [settings.baseUrl?.value.href, settings.token?.value];
  return `${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)}\t`;
}

type Lines = ReadonlyMap<string, string>;

function withNotes(before: Lines, userKey: string, { me, vals }: Notes): Lines {
  const lines = new Map(before);
  const put = (key: string, known: SeenVal | string) => {
    const json = JSON.stringify(known);
    if (lines.get(key) === json) return;
    // `delete` before `set` moves the line to the end. When the file is full, the first lines are dropped.
    lines.delete(key);
    lines.set(key, json);
  };
  if (me !== undefined) put(userKey, me);
  for (const [id, val] of vals) {
    const key = userKey + JSON.stringify(id);
    if (val === 'deleted') lines.delete(key);
    else put(key, withKnownOwner(val, parse(lines.get(key))));
  }
  return lines;
}

function withKnownOwner(val: SeenVal, known: unknown): SeenVal {
  if (!isSeenVal(known)) return val;
  return { ...val, owner: val.owner || known.owner, ...(known.mine && { mine: true }) };
}

function readLines(file: string): Lines {
  try {
    const lines = new Map<string, string>();
    for (const line of readPlainFile(file).toString().split('\n')) {
      const end = line.indexOf('\t', line.indexOf('\t') + 1);
      if (end !== -1) lines.set(line.slice(0, end), line.slice(end + 1));
    }
    return lines;
  } catch {
    return new Map();
  }
}

const textOf = (lines: Iterable<[string, string]>): string =>
  [...lines].map(([key, json]) => `${key}\t${json}\n`).join('');

function parse(text: string | undefined): unknown {
  try {
    return text && JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isSeenVal = (value: unknown): value is SeenVal => {
  if (!isObject(value)) return false;
  const { id, name, version, owner } = value;
  const isText = (text: unknown) => typeof text === 'string';
  const isNumberOrAbsent = version === undefined || typeof version === 'number';
  return isText(id) && isText(name) && isNumberOrAbsent && (owner === undefined || isText(owner));
};
