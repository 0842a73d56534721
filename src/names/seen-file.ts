// Remembers the vals of earlier answers in a file that other users cannot read. If the file is unreadable, it counts as
// empty.
import { createHash, randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject } from '../lib/json.ts';
import { makeFolder } from '../lib/paths.ts';
import { largest, readPlainFile } from '../lib/plain-file.ts';
import { replaceFile } from '../lib/system.ts';
import type { Settings } from '../settings/settings.ts';

export interface SeenVal {
  id: string;
  name: string;
  /**
   * The version is a string, so that a long number keeps all its digits. It is absent if the service sent no version.
   */
  version?: string | undefined;
  /** The owner's id. */
  owner?: string | undefined;
  /**
   * Set if the caller wrote the val by its name. Then the val belongs to the caller, even if the service sends no
   * owner.
   */
  mine?: true;
}

/** This limit applies to all services and tokens together. */
const mostLines = 10_000;

/** The vals of one service, as seen with one token. */
interface SeenFile {
  user(): string | undefined;
  /** The vals in the order in which they were noted, the newest last. */
  vals(): SeenVal[];
  noteUser(id: string): void;
  /** `val` is null if the val was deleted. */
  noteVal(id: string, val: SeenVal | null): void;
  write(): void;
}

/** If `file` is undefined, the notes are kept only in memory. */
export function openSeenFile(file: string | undefined, settings: Settings): SeenFile {
  const lines = file === undefined ? new Map<string, string>() : readLines(file);
  const key = keyOf(settings);
  // The user's line has an empty id.
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

/**
 * The key differs for each service and token, and does not reveal the token. The embedded service has no fixed URL, so
 * its key is made from the word 'local'.
 */
function keyOf({ local, baseUrl, token }: Settings): string {
  const parts = local.value ? ['local'] : [baseUrl?.value.href, token?.value];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/**
 * Maps a place to the JSON of one val. The place consists of the key (of the service and the token) and the val's id.
 * The JSON is parsed only when it is needed, because most commands need one line of a thousand.
 */
type Lines = Map<string, string>;

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

/** If there are too many lines, the oldest are dropped. */
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
