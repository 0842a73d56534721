import Database from 'libsql';

export function makeVersion1(file: string, vals: number): void {
  const database = new Database(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    BEGIN;
    CREATE TABLE owner (id TEXT NOT NULL, username TEXT NOT NULL, token TEXT NOT NULL) STRICT;
    INSERT INTO owner VALUES ('0b0f5c1e-0000-4000-8000-000000000000', 'local', 'vals_local_of_version_1');
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
    CREATE INDEX records_by_val ON records (kind, val_id, at DESC);
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${vals})
      INSERT INTO vals SELECT
        printf('%08x-0000-4000-8000-000000000000', n), 'v' || n, CAST('readme' AS BLOB), 'private',
        printf('2024-01-01T00:00:00.%06dZ', n), 3 FROM numbers;
    INSERT INTO versions SELECT id, 1, CAST('// one' AS BLOB), created_at FROM vals;
    INSERT INTO versions SELECT id, 3, CAST('// ' || name AS BLOB), replace(created_at, '2024', '2025') FROM vals;
    INSERT INTO records (kind, key, at, json) VALUES ('likes', 'l', '', '{"id":"l"}');
    PRAGMA application_id = 0x76616c73;
    PRAGMA user_version = 1;
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE);`);
  database.close();
}
