import { LocalError } from '../../errors.ts';
import type { Tx } from './database.ts';
import { fillImports } from './fill-imports.ts';

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

/** Every store begins with this schema. No earlier one was released. */
export const oldestSchema = 3;

/**
 * Code, readmes and output are bytes, because text cannot contain a NUL character in PostgreSQL. The code is the last
 * column, because SQLite reads all of it to come to the columns behind it. `removed_vals` has the vals whose runs are
 * still to be deleted; two indexes of `records` have the val, so that these runs are passed over without reading them.
 * `secret` is what sessions are signed with, and is in no backup.
 */
const tables = ({ bytes, sortedText, position, tableEnd }: Dialect): SchemaStep => ({
  sql: `
  CREATE TABLE users (
    id TEXT PRIMARY KEY, username ${sortedText} NOT NULL UNIQUE, kind TEXT NOT NULL, created_at TEXT NOT NULL
  )${tableEnd};
  CREATE TABLE owner (id TEXT NOT NULL REFERENCES users (id), token TEXT NOT NULL)${tableEnd};
  CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), secret TEXT NOT NULL)${tableEnd};
  CREATE TABLE members (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    space_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL, PRIMARY KEY (user_id, space_id)
  )${tableEnd};
  CREATE INDEX members_by_space ON members (space_id);
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
  CREATE TABLE vals (
    position ${position}, id TEXT NOT NULL UNIQUE, owner_id TEXT NOT NULL REFERENCES users (id),
    name ${sortedText} NOT NULL, readme ${bytes}, privacy TEXT NOT NULL, type TEXT NOT NULL DEFAULT 'script',
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,
    last_version INTEGER NOT NULL DEFAULT 1, revision INTEGER NOT NULL DEFAULT 1, UNIQUE (owner_id, name)
  )${tableEnd};
  CREATE INDEX vals_by_owner ON vals (owner_id, position);
  CREATE INDEX vals_by_change ON vals (owner_id, updated_at, position);
  CREATE INDEX vals_public ON vals (owner_id, position) WHERE privacy = 'public';
  CREATE TABLE versions (
    val_id TEXT NOT NULL REFERENCES vals (id) ON DELETE CASCADE,
    version INTEGER NOT NULL, code_hash TEXT NOT NULL, created_at TEXT NOT NULL,
    author_id TEXT, author_name TEXT, author_token TEXT, code ${bytes} NOT NULL, PRIMARY KEY (val_id, version)
  )${tableEnd};
  CREATE TABLE records (
    position ${position}, owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, key TEXT NOT NULL, at ${sortedText} NOT NULL, tag TEXT, val_id TEXT,
    json TEXT NOT NULL, logs ${bytes}, UNIQUE (owner_id, kind, key)
  )${tableEnd};
  CREATE INDEX records_by_time ON records (owner_id, kind, at DESC, position, val_id);
  CREATE INDEX records_by_tag ON records (owner_id, kind, tag, at DESC, position, val_id);
  CREATE INDEX records_by_val ON records (kind, val_id, at DESC, position);
  CREATE INDEX records_by_val_and_tag ON records (kind, val_id, tag, at DESC, position);
  CREATE TABLE removed_vals (
    val_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE
  )${tableEnd};
  CREATE INDEX removed_vals_by_owner ON removed_vals (owner_id);
  CREATE TABLE replies (
    person_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key TEXT NOT NULL, request_digest TEXT NOT NULL, at ${sortedText} NOT NULL, reply TEXT,
    PRIMARY KEY (person_id, owner_id, key)
  )${tableEnd};
  CREATE INDEX replies_by_time ON replies (at);
  CREATE INDEX replies_by_owner ON replies (owner_id);`,
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

export const sqlite: Dialect = {
  bytes: 'BLOB',
  sortedText: 'TEXT',
  position: 'INTEGER PRIMARY KEY',
  tableEnd: ' STRICT',
};

/** Without COLLATE "C", PostgreSQL would sort names in another order than SQLite. */
export const postgres: Dialect = {
  bytes: 'BYTEA',
  sortedText: 'TEXT COLLATE "C"',
  position: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
  tableEnd: '',
};

/** Append a step for each change, and never change a step. */
const steps = [tables, imports];

/** The number of the schema of today. A store knows the number of its own. */
export const currentSchema = oldestSchema + steps.length - 1;

/** The steps from one schema to another one. The schema of an empty database is 0. */
export function stepsBetween(dialect: Dialect, from: number, to: number): SchemaStep[] {
  const taken = from === 0 ? 0 : from - oldestSchema + 1;
  return steps.slice(taken, to - oldestSchema + 1).map((step) => step(dialect));
}

/** Refuses a store that this program can neither use nor bring up to date. */
export function checkSchema(found: number, store: string, place: 'file' | 'database'): void {
  if (found > currentSchema) {
    throw new LocalError(
      `${store} was made by a newer version of vals: its schema is ${found}, and this version knows ${currentSchema}.`,
      { hint: `Update vals, or use another ${place}.` },
    );
  }
  if (found > 0 && found < oldestSchema) {
    throw new LocalError(`${store} was made before the first release of vals: its schema is ${found}.`, {
      hint: `Use another ${place}.`,
    });
  }
}
