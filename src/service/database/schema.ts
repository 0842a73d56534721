import { LocalError } from '../../core/errors.ts';
import type { Tx } from './database.ts';
import { fillCodeHashes, fillImports } from './fill-from-code.ts';

interface SchemaStep {
  sql: string;
  /** Fills new columns and tables with what SQL cannot compute. */
  fill?(tx: Tx): Promise<void>;
}

interface Dialect {
  bytes: string;
  /** Text that is sorted by its code points. */
  sortedText: string;
  position: string;
  tableEnd: string;
}

/** Code, readmes and output are bytes, because text cannot contain a NUL character in PostgreSQL. */
const firstSchema = ({ bytes, sortedText, position, tableEnd }: Dialect): string => `
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

/** A person had one token, whose digest was a column of `users`; a space had none. */
const namedTokens = ({ sortedText, tableEnd }: Dialect, replaceUsers: string): string => `
  CREATE TABLE tokens (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, name ${sortedText} NOT NULL,
    digest TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL, last_used_at TEXT, expires_at TEXT,
    read_only INTEGER NOT NULL DEFAULT 0, space_id TEXT, UNIQUE (user_id, name),
    FOREIGN KEY (user_id, space_id) REFERENCES members (user_id, space_id) ON DELETE CASCADE
  )${tableEnd};
  CREATE TABLE links (
    digest TEXT PRIMARY KEY, token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE, expires_at TEXT NOT NULL
  )${tableEnd};
  CREATE INDEX links_by_token ON links (token_id);
  CREATE INDEX links_by_end ON links (expires_at);
  CREATE INDEX vals_by_change ON vals (owner_id, updated_at, position);
  INSERT INTO tokens (id, user_id, name, digest, created_at)
    SELECT id, id, 'first', token_digest, created_at FROM users WHERE token_digest IS NOT NULL;
  ${replaceUsers}
  DROP INDEX records_unclaimed;
  ALTER TABLE records DROP COLUMN val_name;`;

/**
 * `removed_vals` has the vals whose runs are still to be deleted. `secret` is what sessions are signed with, and is in no
 * backup. A hash has no default, so that an older program that is still running cannot add a version without one.
 */
const hashesAndRemovals = ({ tableEnd }: Dialect, addColumns: string): SchemaStep => ({
  sql: `
  ${addColumns}
  CREATE TABLE removed_vals (
    val_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE
  )${tableEnd};
  CREATE INDEX removed_vals_by_owner ON removed_vals (owner_id);
  CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), secret TEXT NOT NULL)${tableEnd};`,
  fill: fillCodeHashes,
});

/** Seeds loaded references until now. See `store/references.ts`. */
const imports = ({ sortedText, position, tableEnd }: Dialect): SchemaStep => ({
  sql: `
  CREATE TABLE imports (
    position ${position}, val_id TEXT NOT NULL REFERENCES vals (id) ON DELETE CASCADE, imported_id TEXT NOT NULL,
    imported_owner_id TEXT NOT NULL, at ${sortedText} NOT NULL, is_current INTEGER NOT NULL, UNIQUE (val_id, imported_id)
  )${tableEnd};
  CREATE INDEX imports_by_owner ON imports (imported_owner_id, at, position) WHERE is_current = 1;
  CREATE INDEX imports_by_imported ON imports (imported_id, at, position) WHERE is_current = 1;
  DELETE FROM records WHERE kind = 'references';`,
  fill: fillImports,
});

const sqlite: Dialect = {
  bytes: 'BLOB',
  sortedText: 'TEXT',
  position: 'INTEGER PRIMARY KEY',
  tableEnd: ' STRICT',
};

/** Without COLLATE "C", PostgreSQL would sort names in another order than SQLite. */
const postgres: Dialect = {
  bytes: 'BYTEA',
  sortedText: 'TEXT COLLATE "C"',
  position: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
  tableEnd: '',
};

/**
 * The steps from an empty database to the schema of today. A store knows how many it has taken: the number of its schema.
 * Append a step for each change, and never change a step.
 */
export const sqliteSchemas: readonly SchemaStep[] = [
  { sql: firstSchema(sqlite) },
  {
    // SQLite cannot drop a column that is UNIQUE.
    sql: namedTokens(
      sqlite,
      `CREATE TABLE users_2 (
      id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, created_at TEXT NOT NULL
    ) STRICT;
    INSERT INTO users_2 SELECT id, username, CASE WHEN token_digest IS NULL THEN 'space' ELSE 'person' END, created_at
      FROM users;
    DROP TABLE users;
    ALTER TABLE users_2 RENAME TO users;`,
    ),
  },
  hashesAndRemovals(
    sqlite,
    // The code is the last column, because SQLite reads all of it to come to the columns behind it. The indexes have the
    // val, so that runs of removed vals are passed over without reading them.
    `CREATE TABLE versions_2 (
      val_id TEXT NOT NULL REFERENCES vals (id) ON DELETE CASCADE,
      version INTEGER NOT NULL, code_hash TEXT NOT NULL, created_at TEXT NOT NULL,
      author_id TEXT, author_name TEXT, author_token TEXT, code BLOB NOT NULL, PRIMARY KEY (val_id, version)
    ) STRICT;
    INSERT INTO versions_2 SELECT val_id, version, '', created_at, author_id, author_name, NULL, code FROM versions;
    DROP TABLE versions;
    ALTER TABLE versions_2 RENAME TO versions;
    DROP INDEX records_by_time;
    DROP INDEX records_by_tag;
    CREATE INDEX records_by_time ON records (owner_id, kind, at DESC, position, val_id);
    CREATE INDEX records_by_tag ON records (owner_id, kind, tag, at DESC, position, val_id);`,
  ),
  imports(sqlite),
];

export const postgresSchemas: readonly SchemaStep[] = [
  { sql: firstSchema(postgres) },
  {
    sql: namedTokens(
      postgres,
      `ALTER TABLE users ADD COLUMN kind TEXT;
    UPDATE users SET kind = CASE WHEN token_digest IS NULL THEN 'space' ELSE 'person' END;
    ALTER TABLE users ALTER COLUMN kind SET NOT NULL;
    ALTER TABLE users DROP COLUMN token_digest;`,
    ),
  },
  hashesAndRemovals(
    postgres,
    `ALTER TABLE versions ADD COLUMN code_hash TEXT NOT NULL DEFAULT '', ADD COLUMN author_token TEXT;
    ALTER TABLE versions ALTER COLUMN code_hash DROP DEFAULT;`,
  ),
  imports(postgres),
];

export const currentSchema = sqliteSchemas.length;

/** Refuses a store that a newer program made. */
export function checkSchema(found: number, store: string, place: 'file' | 'database'): void {
  if (found <= currentSchema) return;
  throw new LocalError(
    `${store} was made by a newer version of vals: its schema is ${found}, and this version knows ${currentSchema}.`,
    { hint: `Update vals, or use another ${place}.` },
  );
}
