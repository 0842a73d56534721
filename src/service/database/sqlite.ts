import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { errnoOf } from '../../core/lib/system.ts';
import { createSlots } from '../../core/lib/waiting.ts';
import { type Database, DatabaseFailure, type Snapshot } from './database.ts';
import { createGroupCommit } from './group-commit.ts';
import { codeContains, explainSqlite, queryOn, sqliteFailure, txOf } from './sqlite-query.ts';
import { isNewSqlite, makeSqliteTables } from './sqlite-schema.ts';
import { prepareStoreFile, restrictMode } from './store-file.ts';
import { createWriteBack, type WriteBackTimes } from './write-back.ts';

/** SQLite itself waits for a lock without a turn of the event loop, so it waits for moments only, again and again. */
const busyTimeoutMs = 5;
const mostLockWaitMs = 10_000;
const mostPauseMs = 25;
const mostMsPerCommit = 5;

const writeBack: WriteBackTimes = { idleMs: 30_000, mostMs: 60 * 60_000 };

export function openSqliteSnapshot(file: string): Snapshot {
  const explain = (error: unknown) => explainSqlite(file, error);
  try {
    const path = prepareStoreFile(file);
    const connection = new Libsql(path, { timeout: mostLockWaitMs });
    connection.exec('BEGIN');
    return {
      isNew: isNewSqlite(connection, path),
      query: queryOn(connection),
      explain,
      close: async () => void connection.close(),
    };
  } catch (error) {
    throw explain(error);
  }
}

export async function openSqlite(file: string, times = writeBack): Promise<Database> {
  try {
    const path = prepareStoreFile(file);
    const connection = new Libsql(path, { timeout: busyTimeoutMs });
    await retryWhileBusy(() => prepare(connection, path));
    return { ...wrap(connection, path, times), explain: (error) => explainSqlite(file, error) };
  } catch (error) {
    throw explainSqlite(file, error);
  }
}

/** Repeats what failed because another process has a lock, while other work is done in between. */
async function retryWhileBusy<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const deadline = performance.now() + mostLockWaitMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, mostPauseMs)) {
    try {
      return await work();
    } catch (error) {
      const isBusy = /^SQLITE_(BUSY|LOCKED)/.test(
        `${errnoOf(error instanceof DatabaseFailure ? error.cause : error)}`,
      );
      if (!isBusy || performance.now() > deadline) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
}

function prepare(connection: Libsql.Database, path: string): void {
  const isNew = isNewSqlite(connection, path);
  restrictMode(path);
  connection.exec('PRAGMA journal_mode = WAL');
  // Without `fullfsync`, a power failure on macOS could lose commits that are still in the cache of the disk.
  connection.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON');
  // Before SQLite 3.51.3, an automatic checkpoint can lose a commit of another process ("WAL-reset bug").
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  // This also makes the files of the log, which are remembered next.
  connection.exec(isNew ? 'BEGIN IMMEDIATE' : 'BEGIN');
  try {
    makeSqliteTables(connection, path);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function wrap(connection: Libsql.Database, path: string, times: WriteBackTimes): Omit<Database, 'explain'> {
  const log = createWriteBack(connection, path, {
    ...times,
    isWriting: () => group.underWay() !== undefined,
  });
  const group = createGroupCommit(connection, {
    mostMs: mostMsPerCommit,
    async begin() {
      await log.underWay();
      await retryWhileBusy(() => {
        log.checkFiles();
        connection.exec('BEGIN IMMEDIATE');
      });
    },
    after: log.noteWrite,
  });

  let readsWaiting = 0;
  const run = queryOn(connection);
  const tx = txOf(run);

  return {
    scans: createSlots(1),
    codeContains,
    query: (statement) =>
      retryWhileBusy(async () => {
        readsWaiting += 1;
        while (group.underWay()) await group.underWay();
        readsWaiting -= 1;
        return run(statement);
      }),
    transaction: (work) =>
      group
        .write(() => work(tx))
        .catch((error) => {
          throw sqliteFailure(error);
        }),
    connections: () => ({ inUse: group.underWay() ? 1 : 0, waiting: group.waiting() + readsWaiting }),
    probe: async () => log.checkFiles(),
    async close() {
      await group.flush();
      await log.end();
      connection.close();
    },
  };
}
