interface Dialect {
  bytes: string;
  /** Text that is sorted by its code points. */
  sortedText: string;
  position: string;
  tableEnd: string;
}

/** Code, readmes and output are bytes, because text cannot contain a NUL character in PostgreSQL. */
const schemaOf = ({ bytes, sortedText, position, tableEnd }: Dialect): string => `
  CREATE TABLE users (
    id TEXT PRIMARY KEY, username ${sortedText} NOT NULL UNIQUE, token_digest TEXT UNIQUE, created_at TEXT NOT NULL
  )${tableEnd};
  CREATE TABLE owner (id TEXT NOT NULL REFERENCES users (id), token TEXT NOT NULL)${tableEnd};
  CREATE TABLE members (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    space_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL, PRIMARY KEY (user_id, space_id)
  )${tableEnd};
  CREATE INDEX members_by_space ON members (space_id);
  CREATE TABLE vals (
    position ${position}, id TEXT NOT NULL UNIQUE, owner_id TEXT NOT NULL REFERENCES users (id),
    name ${sortedText} NOT NULL, readme ${bytes}, privacy TEXT NOT NULL, type TEXT NOT NULL DEFAULT 'script',
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,
    last_version INTEGER NOT NULL DEFAULT 1, revision INTEGER NOT NULL DEFAULT 1, UNIQUE (owner_id, name)
  )${tableEnd};
  CREATE INDEX vals_by_owner ON vals (owner_id, position);
  CREATE INDEX vals_public ON vals (owner_id, position) WHERE privacy = 'public';
  CREATE TABLE versions (
    val_id TEXT NOT NULL REFERENCES vals (id) ON DELETE CASCADE,
    version INTEGER NOT NULL, code ${bytes} NOT NULL, created_at TEXT NOT NULL, author_id TEXT, author_name TEXT,
    PRIMARY KEY (val_id, version)
  )${tableEnd};
  CREATE TABLE records (
    position ${position}, owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, key TEXT NOT NULL, at ${sortedText} NOT NULL, tag TEXT, val_id TEXT, val_name TEXT,
    json TEXT NOT NULL, logs ${bytes}, UNIQUE (owner_id, kind, key)
  )${tableEnd};
  CREATE INDEX records_by_time ON records (owner_id, kind, at DESC, position);
  CREATE INDEX records_by_tag ON records (owner_id, kind, tag, at DESC, position);
  CREATE INDEX records_by_val ON records (kind, val_id, at DESC, position);
  CREATE INDEX records_by_val_and_tag ON records (kind, val_id, tag, at DESC, position);
  CREATE INDEX records_unclaimed ON records (owner_id, val_name) WHERE val_id IS NULL;
  CREATE TABLE replies (
    person_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key TEXT NOT NULL, request_digest TEXT NOT NULL, at ${sortedText} NOT NULL, reply TEXT,
    PRIMARY KEY (person_id, owner_id, key)
  )${tableEnd};
  CREATE INDEX replies_by_time ON replies (at);
  CREATE INDEX replies_by_owner ON replies (owner_id);`;

/**
 * The first entry makes a new store. After a release, append a statement for each change, and never change an entry: a store
 * runs only the entries that it has not run yet.
 */
export const sqliteMigrations: readonly string[] = [
  schemaOf({
    bytes: 'BLOB',
    sortedText: 'TEXT',
    position: 'INTEGER PRIMARY KEY',
    tableEnd: ' STRICT',
  }),
];

/** Without COLLATE "C", PostgreSQL would sort names in another order than SQLite. */
export const postgresMigrations: readonly string[] = [
  schemaOf({
    bytes: 'BYTEA',
    sortedText: 'TEXT COLLATE "C"',
    position: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    tableEnd: '',
  }),
];
