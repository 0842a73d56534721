import { LocalError } from '../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from '../../core/lib/json.ts';
import { type Database, DatabaseFailure, type Reader, type Tx } from '../database/database.ts';
import { raw, sql } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import type { User } from './access.ts';
import { putRecord, type RecordKind, recordKinds } from './records.ts';
import { insertRun } from './runs.ts';
import { seedRecords } from './seed-records.ts';
import { sortableTime } from './timestamps.ts';

export type SeedData = Partial<Record<RecordKind, JsonObject[]>>;

const keysHint = `The keys of a seed file are ${recordKinds.join(', ')}, each with an array of records.`;
const recordHint = 'A record is as the API sends it, with its id, its times and its people.';

export function parseSeed(text: string): SeedData {
  const seed = parse(text);
  if (!isObject(seed)) throw new LocalError('The seed file is not a JSON object.', { hint: keysHint });
  const parsed: SeedData = {};
  for (const [name, records] of Object.entries(seed)) {
    const kind = recordKinds.find((known) => known === name);
    if (!kind) throw new LocalError(`The seed file has an unknown key "${name}".`, { hint: keysHint });
    if (!Array.isArray(records)) {
      throw new LocalError(`${kind} in the seed file is not an array.`, { hint: keysHint });
    }
    parsed[kind] = records.map((record, index) => readRecord(kind, index, record));
  }
  return parsed;
}

function readRecord(kind: RecordKind, index: number, record: JsonValue): JsonObject {
  try {
    return seedRecords[kind].read(record, `${kind}[${index}]`);
  } catch (error) {
    throw error instanceof HttpProblem ? seedFault(error.message) : error;
  }
}

const seedFault = (fault: string): LocalError =>
  new LocalError(`In the seed file, ${fault}`, { hint: recordHint });

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

export const countSeed = (seed: SeedData): Record<string, number> =>
  Object.fromEntries(recordKinds.map((kind) => [kind, seed[kind]?.length ?? 0]));

/** All records or none. */
export function loadSeed(db: Database, owner: User, seed: SeedData): Promise<void> {
  return db.transaction({}, async (tx) => {
    for (const kind of recordKinds) {
      for (const [index, record] of (seed[kind] ?? []).entries()) {
        await load[kind](tx, owner, record, index);
      }
    }
  });
}

type Load = (tx: Tx, owner: User, record: JsonObject, index: number) => Promise<void>;

const load: Record<RecordKind, Load> = {
  async runs(tx, owner, record, index) {
    const given = objectIn(record, 'val');
    const valId = await findVal(tx, owner, given);
    if (valId === undefined) throw seedFault(`runs[${index}].val is not a val of this store.`);
    const id = textOf(record.id);
    const { id: reporterId, username } = objectIn(record, 'reporter');
    // A seed that is loaded again replaces its records.
    await tx.query(sql`DELETE FROM runs WHERE id = ${id} AND owner_id = ${owner.id}`);
    const run = {
      id,
      version: Number(given.version),
      started: Date.parse(`${record.runStartAt}`),
      ended: record.runEndAt === null ? null : Date.parse(`${record.runEndAt}`),
      error: record.error === null ? null : textOf(record.error),
      logs: null,
      reporter: reporterId === undefined ? undefined : { id: textOf(reporterId), username: textOf(username) },
    };
    await insertRun(tx, valId, run).catch((error) => {
      if (!(error instanceof DatabaseFailure && error.kind === 'taken')) throw error;
      throw seedFault(`runs[${index}] has the val, the version and the start, or the id, of another run.`);
    });
  },
  likes: (tx, owner, record) =>
    putRecord(tx, owner, {
      kind: 'likes',
      key: textOf(record.id),
      at: '',
      tag: null,
      valId: textOf(record.id),
      json: stringifyJson(record),
    }),
  comments(tx, owner, record) {
    const author = objectIn(record, 'author');
    const isOwn = textOf(author.id) === owner.id || author.username === owner.username;
    return putRecord(tx, owner, {
      kind: 'comments',
      key: textOf(record.id),
      at: timeOf(record.createdAt),
      tag: textOf(record.relationship ?? (isOwn ? 'given' : 'received')),
      valId: null,
      json: stringifyJson(record),
    });
  },
};

async function findVal(db: Reader, { id: ownerId }: User, { id, name }: JsonObject) {
  const [column, value] = id === undefined || id === null ? ['name', name ?? ''] : ['id', id];
  const [found] = await db.query<{ id: string }>(
    sql`SELECT id FROM vals WHERE owner_id = ${ownerId} AND ${raw(column)} = ${textOf(value)}`,
  );
  return found?.id;
}

const objectIn = (record: JsonObject, field: string): JsonObject => {
  const value = record[field];
  return isObject(value) ? value : {};
};

const timeOf = (value: JsonValue | undefined): string => sortableTime(`${value}`) ?? '';

const textOf = (value: JsonValue | undefined): string => String(value);
