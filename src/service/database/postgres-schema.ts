import { addVersionAuthor, createMembers, deleteOrphanedRuns, indexMembers } from './database.ts';

/** All tables of the store are in this schema, so that other programs can use the same database. */
export const schemaName = 'vals';

/** The table that contains the version of the schema. A schema without this table belongs to another program. */
export const versionTable = 'store_version';

/**
 * Each migration upgrades a store to the next version. The first migration upgrades an empty schema. A released migration
 * never changes.
 */
export const migrations: readonly string[] = [
  // 1: COLLATE "C" sorts as SQLite does. Texts of users are stored as BYTEA, because a text may contain a NUL
  // character.
  `CREATE TABLE users (
    id TEXT PRIMARY KEY, username TEXT COLLATE "C" NOT NULL UNIQUE, token_digest TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL
  );
  CREATE TABLE owner (id TEXT NOT NULL REFERENCES users (id), token TEXT NOT NULL);
  CREATE TABLE vals (
    id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), name TEXT COLLATE "C" NOT NULL, readme BYTEA,
    privacy TEXT NOT NULL, created_at TEXT COLLATE "C" NOT NULL, updated_at TEXT COLLATE "C" NOT NULL,
    last_version INTEGER NOT NULL DEFAULT 0, UNIQUE (owner_id, name)
  );
  CREATE INDEX vals_by_change ON vals (owner_id, updated_at DESC, name);
  CREATE INDEX vals_public ON vals (owner_id, updated_at DESC, name) WHERE privacy = 'public';
  CREATE TABLE versions (
    val_id TEXT NOT NULL REFERENCES vals (id) ON DELETE CASCADE,
    version INTEGER NOT NULL, code BYTEA NOT NULL, created_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (val_id, version)
  );
  CREATE TABLE records (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, key TEXT NOT NULL, at TEXT COLLATE "C" NOT NULL, tag TEXT, val_id TEXT, val_name TEXT,
    json TEXT NOT NULL,
    UNIQUE (owner_id, kind, key)
  );
  CREATE INDEX records_by_time ON records (owner_id, kind, at DESC, position);
  CREATE INDEX records_by_tag ON records (owner_id, kind, tag, at DESC, position);
  CREATE INDEX records_by_val ON records (kind, val_id, at DESC, position);
  CREATE INDEX records_by_val_and_tag ON records (kind, val_id, tag, at DESC, position);
  CREATE INDEX records_unclaimed ON records (owner_id, val_name) WHERE val_id IS NULL;`,
  // 2: deletes the runs of deleted vals.
  deleteOrphanedRuns,
  // 3: adds spaces, which are users without a token, and adds the author of each version.
  `ALTER TABLE users ALTER COLUMN token_digest DROP NOT NULL;
  ${createMembers};
  ${indexMembers}
  ${addVersionAuthor}`,
  // 4: adds the type of a val, and an index of the public vals in the order in which a search reads them.
  `ALTER TABLE vals ADD COLUMN type TEXT NOT NULL DEFAULT 'script';
  CREATE INDEX vals_public_by_change ON vals (updated_at DESC, name, id) WHERE privacy = 'public';`,
];
