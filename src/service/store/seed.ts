import { LocalError } from '../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from '../../core/lib/json.ts';
import { type Database, DatabaseFailure, type Reader, type Tx } from '../database/database.ts';
import { raw, sql } from '../database/sql.ts';
import { check, type Schema, type TypeOf } from '../json-schema.ts';
import { HttpProblem } from '../problem.ts';
import { seedSchemas } from '../schemas.ts';
import type { User } from './access.ts';
import { putLikeOrComment, type RecordKind, recordKinds } from './likes-and-comments.ts';
import { insertRun } from './runs.ts';

type SeedRecord<Kind extends RecordKind> = TypeOf<(typeof seedSchemas)[Kind]>;

export type SeedData = { [Kind in RecordKind]: SeedRecord<Kind>[] };

const keysHint = `The keys of a seed file are ${recordKinds.join(', ')}, each with an array of records.`;
const recordHint = 'A record is as the API sends it, with its id, its times and its people.';

export function parseSeed(text: string): SeedData {
  const seed = parse(text);
  if (!isObject(seed)) throw new LocalError('The seed file is not a JSON object.', { hint: keysHint });
  const unknown = Object.keys(seed).find((name) => !recordKinds.some((kind) => kind === name));
  if (unknown !== undefined) {
    throw new LocalError(`The seed file has an unknown key "${unknown}".`, { hint: keysHint });
  }
  return {
    runs: recordsIn(seed, 'runs', seedSchemas.runs),
    likes: recordsIn(seed, 'likes', seedSchemas.likes),
    comments: recordsIn(seed, 'comments', seedSchemas.comments),
  };
}

function recordsIn<Described>(seed: JsonObject, kind: RecordKind, schema: Schema<Described>): Described[] {
  const records = seed[kind] ?? [];
  if (!Array.isArray(records)) {
    throw new LocalError(`${kind} in the seed file is not an array.`, { hint: keysHint });
  }
  return records.map((record, index) => {
    try {
      return check(schema, record, 'record', `${kind}[${index}]`);
    } catch (error) {
      throw error instanceof HttpProblem ? seedFault(error.message) : error;
    }
  });
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
  Object.fromEntries(recordKinds.map((kind) => [kind, seed[kind].length]));

/** All records or none. */
export function loadSeed(db: Database, owner: User, { runs, likes, comments }: SeedData): Promise<void> {
  return db.transaction(async (tx) => {
    for (const [index, run] of runs.entries()) await loadRun(tx, owner, run, `runs[${index}]`);
    for (const like of likes) await loadLike(tx, owner, like);
    for (const comment of comments) await loadComment(tx, owner, comment);
  });
}

async function loadRun(tx: Tx, owner: User, run: SeedRecord<'runs'>, place: string): Promise<void> {
  const { id, val, reporter } = run;
  const valId = await findVal(tx, owner, val);
  if (valId === undefined) throw seedFault(`${place}.val is not a val of this store.`);
  // A seed that is loaded again replaces its records.
  await tx.query(sql`DELETE FROM runs WHERE id = ${id} AND owner_id = ${owner.id}`);
  const stored = { ...run, version: val.version, logs: null, reporter: reporter ?? undefined };
  await insertRun(tx, valId, stored).catch((failure) => {
    if (!(failure instanceof DatabaseFailure && failure.kind === 'taken')) throw failure;
    throw seedFault(`${place} has the val, the version and the start, or the id, of another run.`);
  });
}

const loadLike = (tx: Tx, owner: User, like: SeedRecord<'likes'>): Promise<void> =>
  putLikeOrComment(tx, owner, {
    kind: 'likes',
    key: `${like.id}`,
    at: 0,
    tag: null,
    valId: `${like.id}`,
    json: stringifyJson(like),
  });

function loadComment(tx: Tx, owner: User, comment: SeedRecord<'comments'>): Promise<void> {
  const { id, author, createdAt, relationship } = comment;
  const isOwn = `${author.id}` === owner.id || author.username === owner.username;
  return putLikeOrComment(tx, owner, {
    kind: 'comments',
    key: `${id}`,
    at: Date.parse(createdAt),
    tag: relationship ?? (isOwn ? 'given' : 'received'),
    valId: null,
    json: stringifyJson(comment),
  });
}

async function findVal(
  db: Reader,
  { id: ownerId }: User,
  { id, name }: { id?: string; name?: string },
): Promise<string | undefined> {
  const [column, value] = id ? ['id', id] : ['name', name ?? ''];
  const [found] = await db.query<{ id: string }>(
    sql`SELECT id FROM vals WHERE owner_id = ${ownerId} AND ${raw(column)} = ${value}`,
  );
  return found?.id;
}
