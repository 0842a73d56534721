// What the service keeps: its owner, vals with their versions, their runs, and the records that only a seed can bring.
import { randomUUID } from 'node:crypto';
import { LocalError } from '../errors.ts';
import { openDatabase, type Value } from './database.ts';
import { Problem } from './problem.ts';
import { schema } from './schema.ts';
import { sortableTime } from './time.ts';
import { newName } from './val-names.ts';

export type Privacy = 'public' | 'unlisted' | 'private';

export interface ValContent {
  name: string;
  code: string;
  readme: string | null;
  privacy: Privacy;
}

export interface Val extends ValContent {
  id: string;
  version: number;
  createdAt: string;
  /** Of the code. */
  versionCreatedAt: string;
  /** Of anything in it. */
  updatedAt: string;
  likeCount: number;
  referenceCount: number;
  author: { id: string; username: string };
}

/** In a list a val has no texts: a hundred of them could be too much for one answer. */
export type ListedVal = Omit<Val, 'code' | 'readme'>;

/** What a new version may change beside the code, where it is given. */
export type ValChange = Pick<ValContent, 'code'> & Partial<ValContent>;

type ListedRow = Omit<ListedVal, 'author'>;
type ValRow = ListedRow & { code: ArrayBuffer; readme: ArrayBuffer | null };

export type RecordKind = 'runs' | 'likes' | 'comments' | 'references';

/** A seeded record: its JSON text, and beside it what lists are filtered and sorted by. */
interface StoredRecord {
  kind: RecordKind;
  key: string;
  /** Sortable time; empty for the kinds that keep the order of their seed. */
  at: string;
  tag: string | null;
  /** Of the val that it counts for. */
  valId: string | null;
  /** Its name: without an id, the record is that of the first val that gets the name. */
  valName: string | null;
  json: string;
}

/** A run that happened elsewhere. */
export interface ReportedRun {
  version: number;
  runStartAt: string;
  runEndAt: string;
  error: string | null;
}

export interface RecordFilter {
  valId?: string;
  tag?: string;
  since?: string;
  until?: string;
  limit?: number;
  offset?: number;
}

export type Store = Awaited<ReturnType<typeof openStore>>;

const count = (kind: RecordKind) =>
  `(SELECT count(*) FROM records WHERE kind = '${kind}' AND records.val_id = vals.id)`;

const newestVersion = '(SELECT max(version) FROM versions WHERE val_id = vals.id)';

const listed = `vals.id, name, privacy, vals.created_at AS createdAt, version, versions.created_at AS versionCreatedAt,
  CASE version WHEN ${newestVersion} THEN updated_at ELSE versions.created_at END AS updatedAt,
  ${count('likes')} AS likeCount, ${count('references')} AS referenceCount`;

/** A val as it was at each of its versions; at the newest it is as it is. */
const valsQuery = `SELECT ${listed}, readme, code FROM vals JOIN versions ON val_id = vals.id`;

export async function openStore(file: string) {
  const database = await openDatabase(file, schema);
  const one = <Row>(sql: string, ...values: Value[]) => database.all<Row>(sql, values)[0];

  const owner = one<{ id: string; username: string; token: string }>('SELECT id, username, token FROM owner');
  if (!owner) throw new LocalError(`The store ${file} has no owner.`, { hint: 'Name another file.' });
  const { token, ...user } = owner;

  function find(condition: string, ...values: Value[]): Val | undefined {
    const row = one<ValRow>(`${valsQuery} WHERE ${condition} ORDER BY version DESC LIMIT 1`, ...values);
    return row && valOf(row);
  }

  function valOf(row: ValRow): Val {
    return { ...row, code: text(row.code), readme: row.readme && text(row.readme), author: user };
  }

  const named = (name: string) => find('name = ?', name);
  const identified = (id: string) => find('vals.id = ?', id);

  /** To strangers a private val is as good as absent. */
  function val(id: string, isStranger = false): Val {
    const found = identified(id);
    if (!found || (isStranger && found.privacy === 'private')) throw noVal(id);
    return found;
  }

  function version(id: string, number: number): Val {
    const found = find('vals.id = ? AND version = ?', id, number);
    if (!found) throw new Problem(404, `The val ${val(id).id} has no version ${number}.`);
    return found;
  }

  /** Those that changed last first. */
  function newest(limit: number, offset: number): ListedVal[] {
    const rows = database.all<ListedRow>(
      `SELECT ${listed} FROM vals JOIN versions ON val_id = vals.id AND version = ${newestVersion}
        ORDER BY updated_at DESC, name LIMIT ? OFFSET ?`,
      [limit, offset],
    );
    return rows.map((row) => ({ ...row, author: user }));
  }

  function insertVal({ name, code, readme, privacy }: ValContent): Val {
    const id = randomUUID();
    const at = now();
    one(
      'INSERT INTO vals (id, name, readme, privacy, created_at) VALUES (?, ?, ?, ?, ?)',
      ...[id, name, readme === null ? null : Buffer.from(readme), privacy, at],
    );
    claimRecords(id, name);
    return insertVersion(id, code, at);
  }

  /** What was seeded for a val of this name, before there was one. */
  function claimRecords(id: string, name: string): void {
    const claim = (kind: RecordKind, json: string, ...values: string[]) =>
      one(
        `UPDATE records SET val_id = ?, json = ${json} WHERE val_id IS NULL AND val_name = ? AND kind = ?`,
        ...[id, ...values, name, kind],
      );
    claim('likes', 'json');
    claim('runs', "json_set(json, '$.val.id', ?)", id);
    claim(
      'references',
      "json_set(json, '$.dependsOn.id', ?, '$.dependsOn.author_id', ?, '$.dependsOn.username', ?)",
      ...[id, user.id, user.username],
    );
  }

  function insertVersion(id: string, code: string, at = now()): Val {
    one('UPDATE vals SET last_version = last_version + 1, updated_at = ? WHERE id = ?', at, id);
    one(
      'INSERT INTO versions SELECT id, last_version, ?, ? FROM vals WHERE id = ?',
      ...[Buffer.from(code), at, id],
    );
    return val(id);
  }

  /** The same code again makes no new version, so that a repeated request is harmless. */
  const update = (current: Val, code: string) =>
    current.code === code ? current : insertVersion(current.id, code);

  /** Name, readme and privacy are the val's, not a version's. */
  function updateFacts(current: Val, change: Partial<ValContent>): Val {
    const { name = current.name, readme = current.readme, privacy = current.privacy } = change;
    if (name === current.name && readme === current.readme && privacy === current.privacy) return current;
    if (name !== current.name) {
      refuseTaken(name);
      claimRecords(current.id, name);
    }
    one(
      'UPDATE vals SET name = ?, readme = ?, privacy = ?, updated_at = ? WHERE id = ?',
      ...[name, readme === null ? null : Buffer.from(readme), privacy, now(), current.id],
    );
    return val(current.id);
  }

  function refuseTaken(name: string): void {
    if (named(name)) throw new Problem(409, `A val named ${name} exists.`);
  }

  /** A record with the key of another takes its place. */
  function putRecord({ kind, key, at, tag, valId, valName, json }: StoredRecord): void {
    one(
      `INSERT INTO records (kind, key, at, tag, val_id, val_name, json) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (kind, key) DO UPDATE SET at = excluded.at, tag = excluded.tag, val_id = excluded.val_id,
          val_name = excluded.val_name, json = excluded.json`,
      ...[kind, key, at, tag, valId, valName, json],
    );
  }

  return {
    user,
    token,
    named,
    identified,
    newest,
    val,
    version,
    write: database.write,
    close: database.close,

    /** Throws where the store cannot be read. */
    probe: (): void => void one('SELECT 1 FROM owner'),

    /** Without a name it gets one. */
    create: (content: Omit<ValContent, 'name'> & { name: string | undefined }): Promise<Val> =>
      database.write(() => {
        const name = content.name ?? newName((word) => named(word) !== undefined);
        refuseTaken(name);
        return insertVal({ ...content, name });
      }),

    createOrUpdate: (name: string, code: string): Promise<{ val: Val; isNew: boolean }> =>
      database.write(() => {
        const current = named(name);
        return current
          ? { val: update(current, code), isNew: false }
          : { val: insertVal({ name, code, readme: null, privacy: 'private' }), isNew: true };
      }),

    delete: (id: string): Promise<void> =>
      database.write(() => {
        if (!one('DELETE FROM vals WHERE id = ? RETURNING id', id)) throw noVal(id);
      }),

    /** Newest first. */
    versions(id: string, limit: number, offset = 0): { version: number; createdAt: string }[] {
      const versions = database.all<{ version: number; createdAt: string }>(
        'SELECT version, created_at AS createdAt FROM versions WHERE val_id = ? ORDER BY version DESC LIMIT ? OFFSET ?',
        [id, limit, offset],
      );
      if (versions.length === 0) val(id);
      return versions;
    },

    createVersion: (id: string, { code, ...facts }: ValChange): Promise<{ val: Val; isNew: boolean }> =>
      database.write(() => {
        const current = updateFacts(val(id), facts);
        const updated = update(current, code);
        return { val: updated, isNew: updated !== current };
      }),

    deleteVersion: (id: string, number: number): Promise<void> =>
      database.write(() => {
        version(id, number);
        one('DELETE FROM versions WHERE val_id = ? AND version = ?', id, number);
        const left = identified(id);
        if (!left) throw new Problem(409, `Version ${number} is the only one; delete the val instead.`);
        one('UPDATE vals SET updated_at = ? WHERE id = ?', left.versionCreatedAt, id);
      }),

    /** Newest first; those of the same time, or without one, in the order they came. */
    records(kind: RecordKind, filter: RecordFilter = {}): { records: string[]; more: boolean } {
      const conditions = Object.entries({
        'kind = ?': kind,
        'val_id = ?': filter.valId,
        'tag = ?': filter.tag,
        'at > ?': filter.since,
        'at <= ?': filter.until,
      }).filter((condition): condition is [string, string] => condition[1] !== undefined);
      const limit = filter.limit ?? 2 ** 52;
      const found = database.all<{ json: string }>(
        `SELECT json FROM records WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
          ORDER BY at DESC, position LIMIT ? OFFSET ?`,
        [...conditions.map(([, value]) => value), limit + 1, filter.offset ?? 0],
      );
      return { records: found.slice(0, limit).map(({ json }) => json), more: found.length > limit };
    },

    putRecord,

    addRun: (id: string, { version: number, ...times }: ReportedRun) =>
      database.write(() => {
        const { name } = version(id, number);
        const run = { id: randomUUID(), val: { id, name, version: number }, ...times };
        putRecord({
          kind: 'runs',
          key: run.id,
          at: sortableTime(times.runStartAt) ?? '',
          tag: times.error === null ? 'passed' : 'failed',
          valId: id,
          valName: name,
          json: JSON.stringify(run),
        });
        return run;
      }),
  };
}

function noVal(id: string): Problem {
  return new Problem(404, `There is no val with the id ${id}.`);
}

function now(): string {
  return new Date().toISOString();
}

function text(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString();
}
