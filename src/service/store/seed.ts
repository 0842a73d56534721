import { createHash } from 'node:crypto';
import { LocalError } from '../../errors.ts';
import {
  isObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
  textOf,
} from '../../lib/json.ts';
import { type RecordKind, recordKinds, type StoredRecord, sortableTime } from './activity.ts';
import { faultOf } from './seed-fields.ts';
import type { Store, ValFinder } from './store.ts';
import type { User } from './users.ts';

export type SeedData = Partial<Record<RecordKind, JsonObject[]>>;

const keysHint = `The keys of a seed file are ${recordKinds.join(', ')}, each with an array of records.`;
const timeFields: Partial<Record<RecordKind, string>> = {
  runs: 'runStartAt',
  comments: 'createdAt',
  references: 'referencedAt',
};

export function parseSeed(text: string): SeedData {
  const seed = parse(text);
  if (!isObject(seed)) throw new LocalError('The seed file is not a JSON object.', { hint: keysHint });
  for (const [name, records] of Object.entries(seed)) {
    const kind = recordKinds.find((known) => known === name);
    if (!kind) throw new LocalError(`The seed file has an unknown key "${name}".`, { hint: keysHint });
    if (!Array.isArray(records)) {
      throw new LocalError(`${kind} in the seed file is not an array.`, { hint: keysHint });
    }
    for (const [index, record] of records.entries()) {
      const fault = faultOf(kind, record);
      if (fault) {
        throw new LocalError(`In the seed file, ${kind}[${index}]${fault}.`, {
          hint: 'Fix the record, then start the service again.',
        });
      }
    }
  }
  return seed as SeedData;
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new LocalError(`The seed file is not JSON: ${(error as Error).message}.`, {
      hint: keysHint,
      cause: error,
    });
  }
}

export function countSeed(seed: SeedData): Record<RecordKind, number> {
  const count = (kind: RecordKind) => seed[kind]?.length ?? 0;
  return {
    runs: count('runs'),
    likes: count('likes'),
    comments: count('comments'),
    references: count('references'),
  };
}

export function loadSeed(store: Store, owner: User, seed: SeedData): Promise<void> {
  const now = new Date().toISOString();
  return store.addRecords(owner, async function* (vals): AsyncGenerator<StoredRecord> {
    for (const kind of recordKinds) {
      const timesSeen = new Map<string, number>();
      for (const given of seed[kind] ?? []) {
        const text = stringifyJson(given);
        const seen = timesSeen.get(text) ?? 0;
        timesSeen.set(text, seen + 1);
        const key = given.id === undefined ? contentId(`${kind} ${seen} ${text}`) : idText(given.id);
        const { record, tag = null, ofVal = {} } = await complete[kind](given, { id: key, now, owner, vals });
        const timeField = timeFields[kind];
        yield {
          kind,
          key,
          at: (timeField && sortableTime(`${record[timeField] ?? now}`)) ?? '',
          tag,
          valId: textOf(ofVal.id) ?? null,
          valName: textOf(ofVal.name) ?? null,
          json: stringifyJson(record),
        };
      }
    }
  });
}

type Complete = (
  record: JsonObject,
  context: { id: string; now: string; owner: User; vals: ValFinder },
) => Promise<{
  record: JsonObject;
  tag?: string;
  ofVal?: JsonObject;
}>;

const complete: Record<RecordKind, Complete> = {
  async runs(given, { id, now, vals }) {
    const { valId = null, valName = null, version = null, ...run } = given;
    const { ofVal, val } = await ownVal(
      { id: valId, name: valName, version, ...objectOrEmpty(run.val) },
      vals,
    );
    const runStartAt = run.runStartAt ?? now;
    const record: JsonObject = { id, runEndAt: runStartAt, error: null, ...run, runStartAt, val };
    return { record, tag: record.error === null ? 'passed' : 'failed', ofVal };
  },
  async likes(like, { id, now, owner, vals }) {
    const { ofVal, val, found } = await ownVal({ version: null, ...like }, vals);
    const others = isObject(like.author) ? withId(like.author) : null;
    const author = found ? { ...owner } : others;
    const record = { createdAt: found?.createdAt ?? now, ...val, id: ofVal.id ?? id, author };
    return { record, ofVal };
  },
  async comments(given, { id, now, owner, vals }) {
    const { ofVal, val, found } = await ownVal({ version: null, ...objectOrEmpty(given.val) }, vals);
    const isOwn = objectOrEmpty(given.author).username === owner.username;
    const relationship = given.relationship ?? (isOwn ? 'given' : 'received');
    const author =
      relationship === 'given'
        ? { ...owner, ...objectOrEmpty(given.author) }
        : withId(objectOrEmpty(given.author));
    const ofOwnVal = {
      privacy: found?.privacy ?? 'public',
      author: relationship === 'given' ? null : { ...owner },
    };
    const record = {
      id,
      comment: null,
      createdAt: now,
      ...given,
      relationship,
      author,
      val: ofVal.name === null ? { privacy: null, author: null, ...val } : { ...ofOwnVal, ...val },
    };
    return { record, tag: `${relationship}` };
  },
  async references(given, { now, owner, vals }) {
    const { val: theirs } = withDerivedId(withAuthor(objectOrEmpty(given.reference)));
    const reference = { ...theirs, author_id: theirs.author_id ?? derivedId('user', theirs.username) };
    const { ofVal, val } = await ownVal(objectOrEmpty(given.dependsOn), vals);
    const { id, username } = owner;
    const dependsOn = withAuthor(val.id === null ? val : { author_id: id, username, ...val });
    return { record: { referencedAt: now, ...given, reference, dependsOn }, ofVal };
  },
};

const objectOrEmpty = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

async function ownVal(given: JsonObject, vals: ValFinder) {
  const found = await findVal(textOf(given.id), textOf(given.name), vals);
  const ofVal: JsonObject = {
    ...given,
    id: given.id ?? found?.id ?? null,
    name: given.name ?? found?.name ?? null,
  };
  const version = given.version ?? found?.version ?? (ofVal.name === null ? null : 1);
  return { ofVal, found, ...withDerivedId({ ...ofVal, ...('version' in given && { version }) }) };
}

async function findVal(id: string | undefined, name: string | undefined, vals: ValFinder) {
  if (id !== undefined) return vals.withId(id);
  return name === undefined ? undefined : vals.named(name);
}

const withDerivedId = (val: JsonObject): { val: JsonObject } => ({
  val: { ...val, id: val.id ?? derivedId('val', val.name) },
});

const withId = (author: JsonObject): JsonObject => ({
  id: derivedId('user', author.username),
  username: null,
  ...author,
});

const derivedId = (kind: 'val' | 'user', name: JsonValue | undefined): string | null =>
  typeof name === 'string' ? contentId(`${kind} ${name}`) : null;

function withAuthor(given: JsonObject): JsonObject {
  const { author, ...val } = given;
  const { id = null, username = null } = objectOrEmpty(author);
  return { id: null, name: null, author_id: id, username, ...val };
}

const idText = (id: JsonValue): string => (id instanceof JsonNumber ? id.text : String(id));

function contentId(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5');
}
