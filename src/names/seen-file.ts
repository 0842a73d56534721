// The file of the vals that were seen: readable by its owner alone, replaced whole, and ignored if it cannot be read.
import { createHash, randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile } from '../lib/busy-file.ts';
import { largest } from '../lib/file-sizes.ts';
import { makeFolder } from '../lib/folders.ts';
import { isObject } from '../lib/json.ts';
import { readPlainFile } from '../lib/plain-file.ts';
import type { Settings } from '../settings/settings.ts';

export interface SeenVal {
  id: string;
  name: string;
  /** As text, with all digits; absent if the service sent none. */
  version?: string;
  /** The id of its owner, if the service sent it. */
  owner?: string;
  /** It was the answer to a write by name, so it belongs to the caller, even if the service sends no owner. */
  mine?: true;
}

/** For all services and tokens together. */
const mostLines = 10_000;

/** What is known of the vals of one service with one token. */
interface SeenFile {
  user(): string | undefined;
  /** The most recent one is last. */
  vals(): SeenVal[];
  noteUser(id: string): void;
  /** Null: it is gone. */
  noteVal(id: string, val: SeenVal | null): void;
  /** Where anything changed. */
  write(): void;
}

/** Without a file, notes last as long as the command. */
export function openSeenFile(file: string | undefined, settings: Settings): SeenFile {
  const lines = file === undefined ? new Map<string, string>() : readLines(file);
  const key = keyOf(settings);
  // The line of the user has no id of a val.
  const userPlace = `${key}\t`;
  const valPlace = (id: string) => `${key}\t${JSON.stringify(id)}`;
  let isChanged = false;

  function put(place: string, known: SeenVal | string): void {
    const text = JSON.stringify(known);
    if (lines.get(place) === text) return;
    isChanged = true;
    lines.delete(place);
    lines.set(place, text);
  }

  return {
    user() {
      const id = parse(lines.get(userPlace));
      return typeof id === 'string' ? id : undefined;
    },
    vals() {
      const ofVals = [...lines].filter(([place]) => place.startsWith(userPlace) && place !== userPlace);
      return ofVals.map(([, known]) => parse(known)).filter(isSeenVal);
    },
    noteUser: (id) => put(userPlace, id),
    noteVal(id, val) {
      const place = valPlace(id);
      const before = parse(lines.get(place));
      if (val === null) isChanged = lines.delete(place) || isChanged;
      else put(place, isSeenVal(before) && before.mine ? { ...val, mine: true } : val);
    },
    write() {
      if (file !== undefined && isChanged) writeLines(file, lines);
    },
  };
}

/** One key per service and token. The token cannot be found from it. The embedded service has another port each time. */
function keyOf({ local, baseUrl, token }: Settings): string {
  const parts = local.value ? ['local'] : [baseUrl?.value.href, token?.value];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/**
 * What is known, as JSON, by its place: the key of a service and token, and the id of a val. Most commands touch one
 * line of a thousand, so the others are not parsed.
 */
type Lines = Map<string, string>;

/** A file that cannot be read, or that we did not write, counts as empty. */
function readLines(file: string): Lines {
  try {
    const lines: Lines = new Map();
    for (const line of readPlainFile(file, { mostBytes: largest.seen }).toString().split('\n')) {
      const end = line.indexOf('\t', line.indexOf('\t') + 1);
      if (end !== -1) lines.set(line.slice(0, end), line.slice(end + 1));
    }
    return lines;
  } catch {
    return new Map();
  }
}

/** The oldest lines are dropped first. */
function writeLines(file: string, lines: Lines): void {
  const text = [...lines].slice(-mostLines).map(([place, known]) => `${place}\t${known}\n`);
  makeFolder(dirname(file), 0o700);
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, text.join(''), { flag: 'wx', mode: 0o600 });
    replaceFile(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

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
  return isText(id) && isText(name) && [version, owner].every((text) => text === undefined || isText(text));
};
