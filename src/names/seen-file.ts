import { createHash } from 'node:crypto';
import { isObject } from '../lib/json.ts';
import { readPlainFile } from '../lib/plain-file.ts';
import { replacePrivate } from '../lib/replace-private.ts';
import type { Settings } from '../settings/settings.ts';

export interface SeenVal {
  id: string;
  name: string;
  version?: number | undefined;
  owner?: string | undefined;
  mine?: true;
}

const mostLines = 10_000;

interface SeenFile {
  user(): string | undefined;
  valsNewestLast(): SeenVal[];
  noteUser(id: string): void;
  noteVal(val: SeenVal): void;
  dropVal(id: string): void;
  write(): void;
}

export function openSeenFile(file: string | undefined, settings: Settings): SeenFile {
  const lines = file === undefined ? new Map<string, string>() : readLines(file);
  const userKey = `${keyOf(settings)}\t`;
  const valKey = (id: string) => userKey + JSON.stringify(id);
  let isChanged = false;

  function put(key: string, known: SeenVal | string): void {
    const json = JSON.stringify(known);
    if (lines.get(key) === json) return;
    isChanged = true;
    // `delete` before `set` moves the line to the end. When the file is full, the first lines are dropped.
    lines.delete(key);
    lines.set(key, json);
  }

  return {
    user() {
      const id = parse(lines.get(userKey));
      return typeof id === 'string' ? id : undefined;
    },
    valsNewestLast() {
      const ofVals = [...lines].filter(([key]) => key.startsWith(userKey) && key !== userKey);
      return ofVals.map(([, known]) => parse(known)).filter(isSeenVal);
    },
    noteUser: (id) => put(userKey, id),
    noteVal(val) {
      const key = valKey(val.id);
      const before = parse(lines.get(key));
      put(key, isSeenVal(before) && before.mine ? { ...val, mine: true } : val);
    },
    dropVal(id) {
      isChanged = lines.delete(valKey(id)) || isChanged;
    },
    write() {
      if (file !== undefined && isChanged) writeLines(file, lines);
    },
  };
}

/** The key is a digest, because the file must not reveal the token. */
function keyOf(settings: Settings): string {
  const parts = settings.local.value ? ['local'] : [settings.baseUrl?.value.href, settings.token?.value];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

type Lines = Map<string, string>;

function readLines(file: string): Lines {
  try {
    const lines: Lines = new Map();
    for (const line of readPlainFile(file).toString().split('\n')) {
      const end = line.indexOf('\t', line.indexOf('\t') + 1);
      if (end !== -1) lines.set(line.slice(0, end), line.slice(end + 1));
    }
    return lines;
  } catch {
    return new Map();
  }
}

function writeLines(file: string, lines: Lines): void {
  const newest = [...lines].slice(-mostLines);
  const text = newest.map(([key, json]) => `${key}\t${json}\n`).join('');
  replacePrivate(file, text);
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
  const isNumberOrAbsent = version === undefined || typeof version === 'number';
  return isText(id) && isText(name) && isNumberOrAbsent && (owner === undefined || isText(owner));
};
