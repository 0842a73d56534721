// What the service keeps: its owner, vals with their versions, and the records that only a seed can bring.
import { randomUUID } from 'node:crypto';
import { LocalError } from '../errors.ts';
import { openDatabase, type Value } from './database.ts';
import { Problem } from './problem.ts';
import { schema } from './schema.ts';

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
  updatedAt: string;
  author: { id: string; username: string };
}

/** A val without its texts. */
export type ListedVal = Pick<Val, 'id' | 'name' | 'privacy' | 'updatedAt' | 'version'>;

type ValRow = Omit<Val, 'code' | 'readme' | 'author'> & { code: ArrayBuffer; readme: ArrayBuffer | null };

export type RecordKind = 'runs' | 'likes' | 'comments' | 'references';

/** A seeded record: its JSON text, and beside it what lists are filtered and sorted by. */
interface StoredRecord {
  kind: RecordKind;
  key: string;
  /** Sortable time; empty for the kinds that keep the order of their seed. */
  at: string;
  tag: string | null;
  valId: string | null;
  json: string;
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

/** A val as it was at each of its versions; at the newest it is as it is. */
const valsQuery = `
  SELECT id, name, readme, privacy, vals.created_at AS createdAt, version, code, versions.created_at AS updatedAt
  FROM vals JOIN versions ON val_id = id`;

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
    const { id, name, privacy, version, createdAt, updatedAt } = row;
    const code = text(row.code);
    const readme = row.readme && text(row.readme);
    return { id, name, code, readme, privacy, version, createdAt, updatedAt, author: user };
  }

  const named = (name: string) => find('name = ?', name);

  /** To strangers a private val is as good as absent. */
  function val(id: string, isStranger = false): Val {
    const found = find('id = ?', id);
    if (!found || (isStranger && found.privacy === 'private')) throw noVal(id);
    return found;
  }

  function version(id: string, number: number): Val {
    const found = find('id = ? AND version = ?', id, number);
    if (!found) throw new Problem(404, `The val ${val(id).id} has no version ${number}.`);
    return found;
  }

  /** Those that changed last first. */
  function newest(limit: number, offset: number): ListedVal[] {
    return database.all<ListedVal>(
      `SELECT id, name, privacy, updated_at AS updatedAt,
          (SELECT max(version) FROM versions WHERE val_id = id) AS version
        FROM vals ORDER BY updated_at DESC, name LIMIT ? OFFSET ?`,
      [limit, offset],
    );
  }

  function insertVal({ name, code, readme, privacy }: ValContent): Val {
    const id = randomUUID();
    const at = now();
    one(
      'INSERT INTO vals (id, name, readme, privacy, created_at) VALUES (?, ?, ?, ?, ?)',
      ...[id, name, readme === null ? null : Buffer.from(readme), privacy, at],
    );
    return insertVersion(id, code, at);
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

  return {
    user,
    token,
    named,
    newest,
    val,
    version,
    write: database.write,
    close: database.close,

    create: (content: ValContent): Promise<Val> =>
      database.write(() => {
        if (named(content.name)) throw new Problem(409, `A val named ${content.name} exists.`);
        return insertVal(content);
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

    versions(id: string): { valId: string; version: number; createdAt: string }[] {
      const versions = database.all<{ version: number; createdAt: string }>(
        'SELECT version, created_at AS createdAt FROM versions WHERE val_id = ? ORDER BY version DESC',
        [id],
      );
      if (versions.length === 0) throw noVal(id);
      return versions.map(({ version, createdAt }) => ({ valId: id, version, createdAt }));
    },

    createVersion: (id: string, code: string): Promise<{ val: Val; isNew: boolean }> =>
      database.write(() => {
        const current = val(id);
        const updated = update(current, code);
        return { val: updated, isNew: updated !== current };
      }),

    deleteVersion: (id: string, number: number): Promise<void> =>
      database.write(() => {
        version(id, number);
        one('DELETE FROM versions WHERE val_id = ? AND version = ?', id, number);
        const left = find('id = ?', id);
        if (!left) throw new Problem(409, `Version ${number} is the only one; delete the val instead.`);
        one('UPDATE vals SET updated_at = ? WHERE id = ?', left.updatedAt, id);
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

    /** A record with the key of another takes its place. */
    putRecord({ kind, key, at, tag, valId, json }: StoredRecord): void {
      one(
        `INSERT INTO records (kind, key, at, tag, val_id, json) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (kind, key) DO UPDATE SET
            at = excluded.at, tag = excluded.tag, val_id = excluded.val_id, json = excluded.json`,
        ...[kind, key, at, tag, valId, json],
      );
    },
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
