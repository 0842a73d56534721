import { statSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { errnoOf } from '../../core/lib/system.ts';
import { createSlots } from '../../core/lib/waiting.ts';
import { type Database, DatabaseFailure, type Tx } from './database.ts';
import { codeContains, explainSqlite, queryOn, sqliteFailure, txOf } from './sqlite-query.ts';
import { isNewSqlite, makeSqliteTables } from './sqlite-schema.ts';
import { prepareStoreFile, restrictMode } from './store-file.ts';

/** SQLite itself waits for a lock without a turn of the event loop, so it waits for moments only, again and again. */
const busyTimeoutMs = 5;
const mostLockWaitMs = 10_000;
const mostPauseMs = 25;
/** Reads wait for the end of a commit, so no other write joins one that has taken so long. */
const mostMsPerCommit = 5;
const checkpointBytes = 4 * 1024 * 1024;

interface Write {
  work(tx: Tx): Promise<unknown>;
  resolve(result: never): void;
  reject(error: unknown): void;
  /** Until then it waits for the lock of another process. */
  deadline: number;
}

/** A store as it is at one moment, to be copied. */
export function openSnapshot(file: string) {
  try {
    const path = prepareStoreFile(file);
    const connection = new Libsql(path, { timeout: mostLockWaitMs });
    connection.exec('BEGIN');
    return {
      isNew: isNewSqlite(connection, path),
      query: queryOn(connection),
      close: () => void connection.close(),
    };
  } catch (error) {
    throw explainSqlite(file, error);
  }
}

export async function openSqlite(file: string): Promise<Database> {
  try {
    const path = prepareStoreFile(file);
    const connection = new Libsql(path, { timeout: busyTimeoutMs });
    await retryWhileBusy(() => prepare(connection, path));
    return { ...wrap(connection, path), explain: (error) => explainSqlite(file, error) };
  } catch (error) {
    throw explainSqlite(file, error);
  }
}

/** Repeats what failed because another process has a lock, while other work is done in between. */
async function retryWhileBusy<Result>(
  work: () => Result | Promise<Result>,
  deadline = performance.now() + mostLockWaitMs,
): Promise<Result> {
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

function wrap(connection: Libsql.Database, path: string): Omit<Database, 'explain'> {
  const files = rememberFiles(path);
  const run = queryOn(connection);
  const tx = txOf(run);
  const queue: Write[] = [];
  let loop: Promise<void> | undefined;
  let underWay: Promise<void> | undefined;
  let readsWaiting = 0;
  let checkpointAt = checkpointBytes;

  function checkFiles(): void {
    if (files.areInPlace()) return;
    throw new DatabaseFailure('gone', new Error('its files were removed or replaced while it was open'));
  }

  function begin(): void {
    checkFiles();
    connection.exec('BEGIN IMMEDIATE');
  }

  /** Writes that wait at the same time share a transaction, because each commit waits for the disk. */
  async function writeAll(): Promise<void> {
    for (let first = queue[0]; first; first = queue[0]) {
      // Other requests are answered before these writes begin.
      await nextTurn();
      try {
        await retryWhileBusy(begin, first.deadline);
      } catch (error) {
        queue.shift()?.reject(error);
        continue;
      }
      underWay = commitGroup();
      await underWay;
      underWay = undefined;
      // The next commit tells what is wrong with the files, and the next group tries again.
      await checkpointIfLarge().catch(() => undefined);
    }
    loop = undefined;
  }

  /** A write that fails undoes itself alone. Nobody hears of the end of theirs before the commit. */
  async function commitGroup(): Promise<void> {
    const group: Write[] = [];
    const reports: (() => void)[] = [];
    const end = performance.now() + mostMsPerCommit;
    try {
      for (let next = queue.shift(); next; next = performance.now() < end ? queue.shift() : undefined) {
        group.push(next);
        const { work, resolve, reject } = next;
        connection.exec('SAVEPOINT one');
        try {
          const result = (await work(tx)) as never;
          reports.push(() => resolve(result));
        } catch (error) {
          if (!connection.inTransaction) throw error;
          connection.exec('ROLLBACK TO one');
          reports.push(() => reject(error));
        }
        connection.exec('RELEASE one');
      }
      connection.exec('COMMIT');
      for (const report of reports) report();
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      for (const { reject } of group) reject(error);
    }
  }

  /** SQLite's log grows while somebody reads for long, so a checkpoint is not tried at each write. */
  async function checkpointIfLarge(): Promise<void> {
    if (files.logSize() < checkpointAt || !files.areInPlace()) return;
    await checkpointInThread(path);
    checkpointAt = files.logSize() + checkpointBytes;
  }

  return {
    scans: createSlots(1),
    codeContains,
    query: (statement) =>
      retryWhileBusy(async () => {
        readsWaiting += 1;
        // The open transaction may still be rolled back.
        while (underWay) await underWay;
        readsWaiting -= 1;
        return run(statement);
      }),
    transaction: <Result>(work: (tx: Tx) => Promise<Result>) =>
      new Promise<Result>((resolve, reject) => {
        queue.push({ work, resolve, reject, deadline: performance.now() + mostLockWaitMs });
        loop ??= writeAll();
      }).catch((error) => {
        throw sqliteFailure(error);
      }),
    connections: () => ({ inUse: underWay ? 1 : 0, waiting: queue.length + readsWaiting }),
    probe: async () => checkFiles(),
    async close() {
      await loop;
      checkpoint(connection);
      connection.close();
    },
  };
}

/**
 * Writes the log (`-wal`) back to the one file. TRUNCATE takes the write lock: before SQLite 3.51.3, a checkpoint without it
 * can lose a commit of another process ("WAL-reset bug").
 */
const checkpointNow = 'PRAGMA wal_checkpoint(TRUNCATE)';

function checkpoint(connection: Libsql.Database): void {
  try {
    connection.exec(checkpointNow);
  } catch {
    // The commits stay in the log.
  }
}

/** A log that a long reader has kept takes seconds, in which other writes wait, and nobody else. */
async function checkpointInThread(path: string): Promise<void> {
  try {
    const { default: AsyncLibsql } = await import('libsql/promise');
    const thread = new AsyncLibsql(path, { timeout: busyTimeoutMs });
    await thread.exec(`PRAGMA fullfsync = ON; ${checkpointNow}`).finally(() => thread.close());
  } catch {
    // The commits stay in the log.
  }
}

/** A write to a file that was removed or replaced would be lost. */
function rememberFiles(path: string) {
  const statOf = (suffix: string) => statSync(`${path}${suffix}`, { throwIfNoEntry: false });
  const inodes = () => ['', '-wal', '-shm'].map((suffix) => statOf(suffix)?.ino).join();
  const opened = inodes();
  return {
    areInPlace: () => inodes() === opened,
    logSize: () => statOf('-wal')?.size ?? 0,
  };
}
