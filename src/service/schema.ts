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
    // 3: records that name a val which is not there yet are its own once it is, and all filters have an index.
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
  ],
};
