import { statSync } from 'node:fs';
import type Libsql from 'libsql';
import { DatabaseFailure } from './database.ts';

const checkpointBytes = 4 * 1024 * 1024;

export interface WriteBackTimes {
  /** The log is written back after so much time without a write, and so long after the last time at the latest. */
  idleMs: number;
  mostMs: number;
}

interface WriteBackOptions extends WriteBackTimes {
  isWriting(): boolean;
}

/** TRUNCATE takes the write lock. Without the lock, a checkpoint could lose a commit of another process. */
const checkpointNow = 'PRAGMA wal_checkpoint(TRUNCATE)';
/** How long the thread waits for others who use the file. Our own writes wait as long. */
const lockTimeoutMs = 100;
/** A reader, such as a backup, may keep the log for long. So often it is tried again. */
const betweenTriesMs = 2_000;

/** Writes what SQLite keeps in its log (`-wal`) back to the one file of the store. */
export function createWriteBack(
  connection: Libsql.Database,
  path: string,
  { idleMs, mostMs, isWriting }: WriteBackOptions,
) {
  const files = rememberFiles(path);
  let wrote = false;
  let triedAt = performance.now();
  let isKept = false;
  let underWay: Promise<void> | undefined;

  function begin(): void {
    underWay ??= checkpointInThread(path)
      .catch(() => {
        // A failed checkpoint loses nothing, because the commits stay in the log.
      })
      .finally(() => {
        underWay = undefined;
        triedAt = performance.now();
        isKept = files.logSize() > 0;
        if (isKept) whenIdle.refresh();
      });
  }

  /** A log that was replaced may belong to another store, so it must not be copied into this store. */
  function saveLog(): void {
    if (files.isLogReplaced()) return;
    try {
      connection.exec(checkpointNow);
    } catch {
      // The commits stay in the log.
    }
  }

  const whenIdle = setTimeout(() => {
    if (files.logSize() === 0 || isWriting()) return;
    if (files.areInPlace()) begin();
  }, idleMs).unref();

  return {
    checkFiles(): void {
      if (files.areInPlace()) return;
      saveLog();
      throw new DatabaseFailure('gone', new Error('its files were removed or replaced while it was open'));
    },
    noteWrite(): void {
      wrote = true;
      whenIdle.refresh();
      const sinceMs = performance.now() - triedAt;
      if (isKept && sinceMs < betweenTriesMs) return;
      if (sinceMs > mostMs || files.logSize() > checkpointBytes) begin();
    },
    /** Writes wait until this has ended. Reads do not. */
    underWay: () => underWay,
    async end(): Promise<void> {
      clearTimeout(whenIdle);
      await underWay;
      if (wrote) saveLog();
    },
  };
}

/** In a thread of the driver, because a log that a long reader has kept takes seconds. */
async function checkpointInThread(path: string): Promise<void> {
  const { default: AsyncLibsql } = await import('libsql/promise');
  const thread = new AsyncLibsql(path, { timeout: lockTimeoutMs });
  try {
    await thread.exec(`PRAGMA fullfsync = ON; ${checkpointNow}`);
  } finally {
    thread.close();
  }
}

const openSuffixes = ['', '-wal', '-shm'] as const;

/** A write to a file that was removed or replaced would be lost. */
function rememberFiles(path: string) {
  const statOf = (suffix: (typeof openSuffixes)[number]) =>
    statSync(`${path}${suffix}`, { throwIfNoEntry: false });
  const inodes = () => openSuffixes.map((suffix) => statOf(suffix)?.ino);
  const opened = inodes();
  return {
    areInPlace: () => inodes().every((inode, index) => inode === opened[index]),
    isLogReplaced: () => ![undefined, opened[1]].includes(statOf('-wal')?.ino),
    logSize: () => statOf('-wal')?.size ?? 0,
  };
}
