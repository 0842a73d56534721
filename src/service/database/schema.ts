import { LocalError } from '../../core/errors.ts';

interface Dialect {
  bytes: string;
  /** Text that is sorted by its code points. */
  sortedText: string;
  /** A number of 64 bits. */
  long: string;
  /** Never given to a second row, because runs name the val by it. */
  position: string;
  tableEnd: string;
}

/** The number of the schema below. */
export const currentSchema = 2;

/** Refuses a store that another version of vals made. */
export function checkSchema(found: number, store: string, place: 'file' | 'database'): void {
  if (found === currentSchema) return;
  const [age, cure] = found > currentSchema ? ['a newer', 'Update vals'] : ['an older', 'Use that version'];
  throw new LocalError(
    `${store} was made by ${age} version of vals: its schema is ${found}, and this version knows ${currentSchema}.`,
    { hint: `${cure}, or use another ${place}.` },
  );
}

/**
 * What SQL cannot sort by its bytes or contain, such as a NUL character in PostgreSQL, is stored as bytes. The code is the
 * last column of its table, because SQLite reads all of it to come to the columns behind it.
 */
const tables = ({ bytes, sortedText, long, position, tableEnd }: Dialect): string => `
  CREATE TABLE users (
    id TEXT PRIMARY KEY,
    username ${sortedText} NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    created_at TEXT NOT NULL
  )${tableEnd};

  CREATE TABLE members (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    space_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    PRIMARY KEY (user_id, space_id)
  )${tableEnd};
  CREATE INDEX members_by_space ON members (space_id);

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name ${sortedText} NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    expires_at TEXT,
    access TEXT NOT NULL,
    space_id TEXT,
    FOREIGN KEY (user_id, space_id) REFERENCES members (user_id, space_id) ON DELETE CASCADE
  )${tableEnd};

  -- A name is that of one token at each base URL.
  CREATE UNIQUE INDEX tokens_by_name ON tokens (user_id, coalesce(space_id, ''), name);

  -- A browser that is signed in, or a link that signs one in (once). It ends with its token.
  CREATE TABLE sessions (
    digest TEXT PRIMARY KEY,
    token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    ends_at TEXT NOT NULL,
    once INTEGER NOT NULL DEFAULT 0
  )${tableEnd};
  CREATE INDEX sessions_by_token ON sessions (token_id);
  CREATE INDEX sessions_by_end ON sessions (ends_at);

  CREATE TABLE vals (
    position ${position},
    id TEXT NOT NULL UNIQUE,
    owner_id TEXT NOT NULL REFERENCES users (id),
    name ${sortedText} NOT NULL,
    readme ${bytes},
    privacy TEXT NOT NULL,
    type TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    last_version INTEGER NOT NULL DEFAULT 1,
    revision INTEGER NOT NULL DEFAULT 1,
    UNIQUE (owner_id, name)
  )${tableEnd};
  CREATE INDEX vals_by_owner ON vals (owner_id, position);
  CREATE INDEX vals_by_change ON vals (owner_id, updated_at, position);
  CREATE INDEX vals_public ON vals (owner_id, position) WHERE privacy = 'public';

  -- Versions and runs do not refer to their val, because those of a deleted val are deleted later.
  CREATE TABLE versions (
    val_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    code_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_token TEXT,
    code ${bytes} NOT NULL,
    PRIMARY KEY (val_id, version)
  )${tableEnd};

  -- What the current code of a val imports. A row may outlive the imported val.
  CREATE TABLE imports (
    position ${position},
    val_id TEXT NOT NULL REFERENCES vals (id) ON DELETE CASCADE,
    imported_id TEXT NOT NULL,
    imported_owner_id TEXT NOT NULL,
    at ${long} NOT NULL,
    UNIQUE (val_id, imported_id)
  )${tableEnd};
  CREATE INDEX imports_by_owner ON imports (imported_owner_id, at, position);

  -- val is the position of the val: there may be millions of runs, so each byte counts.
  CREATE TABLE runs (
    position ${position},
    id TEXT NOT NULL UNIQUE,
    owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    val ${long} NOT NULL,
    version INTEGER NOT NULL,
    started ${long} NOT NULL,
    ended ${long},
    reporter_id TEXT NOT NULL,
    reporter_name TEXT NOT NULL,
    error ${bytes},
    logs ${bytes},
    UNIQUE (val, started, version)
  )${tableEnd};
  CREATE INDEX runs_by_time ON runs (started);
  CREATE INDEX runs_by_owner ON runs (owner_id, started, position, val);
  CREATE INDEX failed_runs_by_owner ON runs (owner_id, started, position, val) WHERE error IS NOT NULL;
  CREATE INDEX failed_runs_by_val ON runs (val, started, version) WHERE error IS NOT NULL;

  -- Vals that were deleted, and whose versions and runs still have to be.
  CREATE TABLE removed_vals (val ${long} PRIMARY KEY, val_id TEXT NOT NULL)${tableEnd};`;

export const sqliteTables = tables({
  bytes: 'BLOB',
  sortedText: 'TEXT',
  long: 'INTEGER',
  position: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  tableEnd: ' STRICT',
});

/** Without COLLATE "C", PostgreSQL would sort names in another order than SQLite. */
export const postgresTables = tables({
  bytes: 'BYTEA',
  sortedText: 'TEXT COLLATE "C"',
  long: 'BIGINT',
  position: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
  tableEnd: '',
});
