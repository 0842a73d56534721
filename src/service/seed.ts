// A seed: the runs, likes, comments and references that the API itself can't create.
import { createHash } from 'node:crypto';
import { LocalError } from '../errors.ts';
import {
  isObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from '../lib/json.ts';
import type { RecordKind, Store } from './store.ts';
import { sortableTime } from './time.ts';

export type SeedData = Partial<Record<RecordKind, JsonObject[]>>;

const kinds: RecordKind[] = ['runs', 'likes', 'comments', 'references'];
const keysHint = `Its keys are ${kinds.join(', ')}, each with an array of records.`;
/** What a list is sorted by; the others keep the order of their seed. */
const timeFields: Partial<Record<string, string>> = { runs: 'runStartAt', comments: 'createdAt' };

export function parseSeed(text: string): SeedData {
  const seed = parse(text);
  if (!isObject(seed)) throw new LocalError('The seed is not a JSON object.', { hint: keysHint });
  for (const [kind, records] of Object.entries(seed)) {
    if (!kinds.some((known) => known === kind)) {
      throw new LocalError(`The seed has an unknown key "${kind}".`, { hint: keysHint });
    }
    if (!Array.isArray(records)) {
      throw new LocalError(`${kind} in the seed is not an array.`, { hint: keysHint });
    }
    for (const [index, record] of records.entries()) {
      const fault = faultOf(kind, record);
      if (fault) {
        throw new LocalError(`In the seed, ${kind}[${index}]${fault}.`, {
          hint: 'Mend the record, then start it again.',
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
    throw new LocalError(`The seed is not JSON: ${(error as Error).message}.`, {
      hint: keysHint,
      cause: error,
    });
  }
}

function faultOf(kind: string, record: unknown): string | undefined {
  if (!isObject(record)) return ' is not an object';
  const { id = '', relationship = 'given' } = record;
  if (typeof id !== 'string' && typeof id !== 'number' && !(id instanceof JsonNumber))
    return '.id is neither a string nor a number';
  if (kind === 'comments' && relationship !== 'given' && relationship !== 'received') {
    return '.relationship is neither given nor received';
  }
  const field = timeFields[kind];
  const time = field === undefined ? null : (record[field] ?? null);
  return time === null || sortableTime(`${time}`) ? undefined : `.${field} is not an ISO 8601 timestamp`;
}

/** Loads all of the seed or, on an error, none of it. A record whose id is there already is replaced. */
export function loadSeed(store: Store, seed: SeedData): Promise<void> {
  const now = new Date().toISOString();
  return store.write(() => {
    for (const kind of kinds) {
      const timesSeen = new Map<string, number>();
      for (const given of seed[kind] ?? []) {
        const text = stringifyJson(given);
        const seen = timesSeen.get(text) ?? 0;
        timesSeen.set(text, seen + 1);
        const key = given.id === undefined ? contentId(`${kind} ${seen} ${text}`) : idText(given.id);
        const { record, tag = null, valId } = complete[kind](given, { id: key, now, store });
        const timeField = timeFields[kind];
        store.putRecord({
          kind,
          key,
          at: (timeField && sortableTime(`${record[timeField] ?? now}`)) ?? '',
          tag,
          valId: typeof valId === 'string' ? valId : null,
          json: stringifyJson(record),
        });
      }
    }
  });
}

type Complete = (
  record: JsonObject,
  context: { id: string; now: string; store: Store },
) => { record: JsonObject; tag?: string; valId?: JsonValue };

/** Adds what a record of each kind lacks, and says what its lists are filtered by. */
const complete: Record<RecordKind, Complete> = {
  runs(run, { id, now, store }) {
    const val = isObject(run.val) ? run.val : {};
    const valId = val.id ?? run.valId;
    const found = valId === undefined && typeof val.name === 'string' ? store.named(val.name)?.id : undefined;
    const record: JsonObject = { id, runStartAt: now, runEndAt: run.runStartAt ?? now, error: null, ...run };
    return {
      record: found === undefined ? record : { ...record, val: { id: found, ...val } },
      tag: record.error === null ? 'passed' : 'failed',
      valId: valId ?? found,
    };
  },
  likes: (like, { id }) => ({ record: { id, ...like } }),
  comments(comment, { id, now, store }) {
    const { username } = isObject(comment.author) ? comment.author : {};
    const relationship = username === store.user.username ? 'given' : 'received';
    const record: JsonObject = { id, createdAt: now, relationship, ...comment };
    return { record, tag: `${record.relationship}` };
  },
  references: (reference, { now }) => ({ record: { referencedAt: now, ...reference } }),
};

const idText = (id: JsonValue): string => (id instanceof JsonNumber ? id.text : String(id));

/** The same content has the same id, so that loading a seed twice doubles nothing. */
function contentId(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5');
}
