import { addVersionAuthor, createMembers, deleteOrphanedRuns, indexMembers } from './database.ts';

export const schemaName = 'vals';

export const versionTable = 'store_version';

/** Never change a released migration, because a store that has run the migration does not run it again. */
export const migrations: readonly string[] = [
  // Without COLLATE "C", PostgreSQL would sort lists in another order than SQLite. Code and readmes are
  // BYTEA, because TEXT cannot contain a NUL character.
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
  deleteOrphanedRuns,
  `ALTER TABLE users ALTER COLUMN token_digest DROP NOT NULL;
  ${createMembers};
  ${indexMembers}
  ${addVersionAuthor}`,
  `ALTER TABLE vals ADD COLUMN type TEXT NOT NULL DEFAULT 'script';
  CREATE INDEX vals_public_by_change ON vals (updated_at DESC, name, id) WHERE privacy = 'public';`,
];
