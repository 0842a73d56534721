// The tables of the store, and how a store of an earlier version becomes one of today.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Schema } from './database.ts';

// Texts that users write are BLOBs: the driver cuts a TEXT off at its first NUL.
export const schema: Schema = {
  application: 0x76616c73,
  migrations: [
    // 1
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
    // 2: when a val changed last, so that the newest are found without a look at all versions.
    () => `
      ALTER TABLE vals ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
      UPDATE vals SET updated_at = coalesce(
        (SELECT created_at FROM versions WHERE val_id = id ORDER BY version DESC LIMIT 1), created_at);
      CREATE INDEX vals_by_change ON vals (updated_at DESC, name);`,
  ],
};
