// A record says what the file of a val and the service last had in common: the id, the name and the code. It is a fact
// that vals saw, never a permission. A lost record costs a question.
import { basename } from 'node:path';
import { versionOf } from '../../api/record-fields.ts';
import { LocalError } from '../../errors.ts';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  parseIfJson,
  stringifyJson,
  withoutUndefined,
} from '../../lib/json.ts';
import { hashOf } from '../text/code-facts.ts';
import { type OwnFolder, readable, shortHash } from './own-folder.ts';

/** A code that file and service had in common before. */
export interface EarlierCode {
  hash: string;
  version?: number | undefined;
}

export interface ValRecord {
  file: string;
  name: string;
  /** Undefined if the service answered a push without an id. */
  id?: string | undefined;
  version?: number | undefined;
  changedAt?: string | undefined;
  code: string;
  /** The hash of the code. */
  hash: string;
  /** The hash of code that was sent, and perhaps stored, by a push whose answer was lost. */
  sent?: string | undefined;
  /** Newest first. */
  past: readonly EarlierCode[];
  /** The names that the val had before, newest first. */
  formerNames: readonly string[];
}

/** A record without the code, which plans do not keep. */
export type RecordFacts = Omit<ValRecord, 'code'>;

const mostRemembered = 20;

/** What a record remembers of the one before it. */
export function pastAfter(before: RecordFacts | undefined, hash: string): readonly EarlierCode[] {
  if (before === undefined || before.hash === hash) return before?.past ?? [];
  return [{ hash: before.hash, version: before.version }, ...before.past].slice(0, mostRemembered);
}

function formerNamesAfter(before: RecordFacts | undefined, name: string): readonly string[] {
  if (before === undefined || before.name === name) return before?.formerNames ?? [];
  return [before.name, ...before.formerNames].filter((each) => each !== name).slice(0, mostRemembered);
}

export const withName = (record: ValRecord, name: string): ValRecord => ({
  ...record,
  name,
  formerNames: formerNamesAfter(record, name),
});

export interface CommonState extends Omit<ValRecord, 'hash' | 'past' | 'formerNames' | 'sent'> {
  /** The hash of the code, if the caller knows it. */
  hash?: string;
}

/** The record of what file and service have in common now. */
export function recordAfter(before: RecordFacts | undefined, state: CommonState): ValRecord {
  const hash = state.hash ?? hashOf(state.code);
  return { ...state, hash, past: pastAfter(before, hash), formerNames: formerNamesAfter(before, state.name) };
}

/** Remembers a code that a push replaced on the service, so that it is not sent again unasked. */
export function withReplaced(record: ValRecord, replaced: EarlierCode | undefined): ValRecord {
  const [newest] = record.past;
  if (replaced === undefined || replaced.hash === record.hash || replaced.hash === newest?.hash)
    return record;
  const { hash, version } = replaced;
  return { ...record, past: [{ hash, version }, ...record.past].slice(0, mostRemembered) };
}

interface RecordKey {
  file: string;
  name: string;
  id?: string | undefined;
}

export interface Records {
  /** Says without a look into the record whether a file has one. */
  has(file: string): boolean;
  of(val: RecordKey): ValRecord | undefined;
  all(): ValRecord[];
  /** A record that cannot be written costs no more than a warning, once per command. */
  write(record: ValRecord): void;
  remove(file: string): void;
}

export function createRecords(
  folder: OwnFolder,
  service: string,
  isListed: (file: string) => boolean,
  warn: (message: string) => void,
): Records {
  const place = folderOfService(service);
  const pathOf = (file: string) => `${place}/${hashOf(file).slice(0, 32)}.txt`;
  const read = (path: string) => parseRecord(folder.read(path));
  let index: Index | undefined;
  let hasWarned = false;

  const all = () => folder.names(place).flatMap((name) => read(`${place}/${name}`) ?? []);

  /** The file may have been moved, or a colleague may have moved it in vals.json. */
  function ofMovedFile({ id, name }: RecordKey): ValRecord | undefined {
    const find = (known: Index) => (id === undefined ? known.byName.get(name) : known.byId.get(id));
    index ??= createIndex(all());
    let file = find(index);
    // While `vals push --watch` runs, a command may move the record to another file, as after a checkout.
    if (file !== undefined && read(pathOf(file)) === undefined) {
      index = createIndex(all());
      file = find(index);
    }
    const isOfOtherVal = id === undefined && file !== undefined && isListed(file);
    return file === undefined || isOfOtherVal ? undefined : read(pathOf(file));
  }

  let names: Set<string> | undefined;
  return {
    has(file) {
      names ??= new Set(folder.names(place));
      return names.has(basename(pathOf(file)));
    },
    all,
    of(val) {
      const record = read(pathOf(val.file));
      const isOfVal = record?.file === val.file && (val.id === undefined || (record.id ?? val.id) === val.id);
      return isOfVal ? record : ofMovedFile(val);
    },
    write(record) {
      const movedFrom = index?.byId.get(record.id ?? '');
      try {
        folder.write(pathOf(record.file), formatRecord(record));
        if (movedFrom !== undefined && movedFrom !== record.file) folder.remove(pathOf(movedFrom));
        if (index !== undefined) addToIndex(index, record);
      } catch (error) {
        if (!(error instanceof LocalError)) throw error;
        if (!hasWarned) warn(`vals keeps no record of this workspace: ${error.message}`);
        hasWarned = true;
      }
    },
    remove: (file) => folder.remove(pathOf(file)),
  };
}

/** The file of each val with a record. */
type Index = Record<'byId' | 'byName', Map<string, string>>;

function createIndex(records: readonly ValRecord[]): Index {
  const index: Index = { byId: new Map(), byName: new Map() };
  for (const record of records) addToIndex(index, record);
  return index;
}

function addToIndex({ byId, byName }: Index, { file, name, id, formerNames }: ValRecord): void {
  if (id !== undefined) byId.set(id, file);
  byName.set(name, file);
  // An older branch has an older name in its vals.json.
  for (const former of formerNames) if (!byName.has(former)) byName.set(former, file);
}

/** The first line has all fields except the code, which follows, so that a read parses little. */
function formatRecord({ code, ...head }: ValRecord): string {
  const past = head.past.map(({ hash, version }) => withoutUndefined({ hash, version }));
  return `${stringifyJson(withoutUndefined({ ...head, past, formerNames: [...head.formerNames], length: code.length }) as JsonObject)}\n${code}`;
}

function parseRecord(text: string | undefined): ValRecord | undefined {
  if (text === undefined) return undefined;
  const end = text.indexOf('\n');
  const head = parseIfJson(text.slice(0, Math.max(0, end)));
  const code = text.slice(end + 1);
  if (!isObject(head) || head.length !== code.length) return undefined;
  const { file, name, id, changedAt, sent, hash, past, formerNames } = head;
  if (typeof file !== 'string' || typeof name !== 'string' || typeof hash !== 'string') return undefined;
  const facts = {
    file,
    name,
    id: ifText(id),
    version: versionOf(head),
    changedAt: ifText(changedAt),
    sent: ifText(sent),
  };
  return {
    ...facts,
    hash,
    past: Array.isArray(past) ? past.flatMap(earlierCode) : [],
    formerNames: Array.isArray(formerNames) ? formerNames.filter((each) => typeof each === 'string') : [],
    code,
  };
}

function earlierCode(value: JsonValue): EarlierCode[] {
  if (!isObject(value) || typeof value.hash !== 'string') return [];
  return [{ hash: value.hash, version: versionOf(value) }];
}

const ifText = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

const recordsFolder = 'records';

const longestName = 200;

/** The folder of the records of one service. The address of the service can be read from its name. */
export function folderOfService(service: string): string {
  const name = encodeURIComponent(service).replaceAll('*', '%2A');
  const isLong = name.length > longestName;
  return `${recordsFolder}/${isLong ? `${readable(service)}-${shortHash(service)}` : name}`;
}

export const servicesWithRecords = (folder: OwnFolder): string[] =>
  folder.names(recordsFolder).flatMap((name) => {
    const service = decoded(name);
    return folderOfService(service) === `${recordsFolder}/${name}` ? service : [];
  });

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
