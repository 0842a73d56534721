import { randomBytes, randomUUID } from 'node:crypto';
import { sortableTime } from '../store/time.ts';
import { digestOf } from '../store/users.ts';
import { addVersionAuthor, createMembers, deleteOrphanedRuns, indexMembers } from './database.ts';

export const applicationId = 0x76616c73;

type Migration = (all: <Row>(sql: string) => Row[]) => string;

/**
 * Never change a released migration, because a store that has run the migration does not run it again. Code
 * and readmes are BLOB, because the driver cuts a TEXT off at its first NUL character.
 */
export const migrations: readonly Migration[] = [
  () => `
    CREATE TABLE owner (id TEXT NOT NULL, username TEXT NOT NULL, token TEXT NOT NULL) STRICT;
    INSERT INTO owner VALUES ('${randomUUID()}', 'local', 'vals_local_${randomBytes(32).toString('base64url')}');
    CREATE TABLE vals (
      id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, readme BLOB, privacy TEXT NOT NULL, created_at TEXT NOT NULL,
      last_version INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE versions (
      val_id TEXT NOT NULL REFERENCES vals (id) ON DELETE CASCADE,
      version INTEGER NOT NULL, code BLOB NOT NULL, created_at TEXT NOT NULL,
      PRIMARY KEY (val_id, version)
    ) STRICT;
    CREATE TABLE records (
      position INTEGER PRIMARY KEY,
      kind TEXT NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL, tag TEXT, val_id TEXT, json TEXT NOT NULL,
      UNIQUE (kind, key)
    ) STRICT;
    CREATE INDEX records_by_time ON records (kind, at DESC);
    CREATE INDEX records_by_val ON records (kind, val_id, at DESC);`,
  () => `
      ALTER TABLE vals ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
      UPDATE vals SET updated_at = coalesce(
        (SELECT created_at FROM versions WHERE val_id = id ORDER BY version DESC LIMIT 1), created_at);
      CREATE INDEX vals_by_change ON vals (updated_at DESC, name);`,
  () => `
      ALTER TABLE records ADD COLUMN val_name TEXT;
      UPDATE records SET val_name = json_extract(json, '$.val.name') WHERE kind = 'runs' AND val_id IS NULL;
      UPDATE records SET val_id = json_extract(json, '$.id'), val_name = json_extract(json, '$.name')
        WHERE kind = 'likes';
      UPDATE records SET val_id = json_extract(json, '$.dependsOn.id'),
          val_name = json_extract(json, '$.dependsOn.name')
        WHERE kind = 'references';
      CREATE INDEX records_by_tag ON records (kind, tag, at DESC);
      CREATE INDEX records_by_val_and_tag ON records (kind, val_id, tag, at DESC);
      CREATE INDEX records_unclaimed ON records (val_name) WHERE val_id IS NULL;`,
  (all) => {
    const [owner] = all<{ token: string }>('SELECT token FROM owner');
    if (!owner) throw new Error('it has no owner');
    return `
      CREATE TABLE users (
        id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, token_digest TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL
      ) STRICT;
      INSERT INTO users SELECT id, username, '${digestOf(owner.token)}', '${new Date().toISOString()}' FROM owner;
      ALTER TABLE owner DROP COLUMN username;
      CREATE TABLE new_vals (
        id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), name TEXT NOT NULL, readme BLOB,
        privacy TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        last_version INTEGER NOT NULL DEFAULT 0, UNIQUE (owner_id, name)
      ) STRICT;
      INSERT INTO new_vals SELECT vals.id, owner.id, name, readme, privacy, created_at, updated_at, last_version
        FROM vals, owner;
      DROP TABLE vals;
      ALTER TABLE new_vals RENAME TO vals;
      CREATE INDEX vals_by_change ON vals (owner_id, updated_at DESC, name);
      CREATE INDEX vals_public ON vals (owner_id, updated_at DESC, name) WHERE privacy = 'public';
      CREATE TABLE new_records (
        position INTEGER PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        kind TEXT NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL, tag TEXT, val_id TEXT, val_name TEXT, json TEXT NOT NULL,
        UNIQUE (owner_id, kind, key)
      ) STRICT;
      INSERT INTO new_records SELECT position, owner.id, kind, key, at, tag, val_id, val_name, json FROM records, owner;
      DROP TABLE records;
      ALTER TABLE new_records RENAME TO records;
      CREATE INDEX records_by_time ON records (owner_id, kind, at DESC);
      CREATE INDEX records_by_tag ON records (owner_id, kind, tag, at DESC);
      CREATE INDEX records_by_val ON records (kind, val_id, at DESC);
      CREATE INDEX records_by_val_and_tag ON records (kind, val_id, tag, at DESC);
      CREATE INDEX records_unclaimed ON records (owner_id, val_name) WHERE val_id IS NULL;`;
  },
  () => deleteOrphanedRuns,
  () => `
      CREATE TABLE new_users (
        id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, token_digest TEXT UNIQUE, created_at TEXT NOT NULL
      ) STRICT;
      INSERT INTO new_users SELECT id, username, token_digest, created_at FROM users;
      DROP TABLE users;
      ALTER TABLE new_users RENAME TO users;
      ${createMembers} STRICT;
      ${indexMembers}
      ${addVersionAuthor}`,
  (all) => {
    const references = all<{ position: number; time: unknown }>(
      `SELECT position, json_extract(json, '$.referencedAt') AS time FROM records WHERE kind = 'references'`,
    );
    const times = references.flatMap(({ position, time }) => {
      const at = sortableTime(`${time}`);
      return at === undefined ? [] : `UPDATE records SET at = '${at}' WHERE position = ${position};`;
    });
    return `
      ALTER TABLE vals ADD COLUMN type TEXT NOT NULL DEFAULT 'script';
      CREATE INDEX vals_public_by_change ON vals (updated_at DESC, name, id) WHERE privacy = 'public';
      ${times.join('\n')}`;
  },
];
