// Writes that wait at the same time share one transaction, because each commit waits for the disk.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Libsql from 'libsql';

interface Write {
  work(): Promise<unknown>;
  resolve(result: never): void;
  reject(error: unknown): void;
  /** A commit that it shared with others failed, so it gets one of its own. */
  isAlone: boolean;
}

/** Tells the caller of a write how it ended, once that is certain. */
type Report = () => void;

interface GroupCommitOptions {
  /** No write joins a transaction that has taken so long. */
  mostMs: number;
  /** Begins a transaction. Reads are answered while this waits for the lock. */
  begin(): Promise<void>;
  after(): void;
}

export function createGroupCommit(connection: Libsql.Database, { mostMs, begin, after }: GroupCommitOptions) {
  /** In the order in which they are done. */
  const queue: Write[] = [];
  let loop: Promise<void> | undefined;
  let underWay: Promise<Report[]> | undefined;

  async function commitAll(): Promise<void> {
    while (queue.length > 0) {
      // Other requests are answered before these writes begin.
      await nextTurn();
      if (!(await canBegin())) continue;
      const group: Write[] = [];
      underWay = commit(group).catch((error) => allFailed(group, error));
      const reports = await underWay;
      underWay = undefined;
      for (const report of reports) report();
    }
    loop = undefined;
  }

  /** If the lock is not to be had, those writes fail that waited for it all the time. */
  async function canBegin(): Promise<boolean> {
    const early = queue.length;
    try {
      await begin();
      return true;
    } catch (error) {
      for (const { reject } of queue.splice(0, early)) reject(error);
      return false;
    }
  }

  /** Moves writes from the queue to the group, does them and commits. If the commit fails, they return to the queue. */
  async function commit(group: Write[]): Promise<Report[]> {
    const reports: Report[] = [];
    try {
      const end = performance.now() + mostMs;
      for (let write = nextFor(group, end); write; write = nextFor(group, end)) {
        group.push(write);
        reports.push(await runInSavepoint(connection, write));
      }
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      if (group.length === 1) return allFailed(group, error);
      queue.unshift(...group.map((write) => ({ ...write, isAlone: true })));
      return [];
    }
    after();
    return reports;
  }

  /** Takes the next write from the queue, if it may share the transaction. */
  function nextFor([first]: readonly Write[], end: number): Write | undefined {
    const isClosed = first && (first.isAlone || queue[0]?.isAlone || performance.now() > end);
    return isClosed ? undefined : queue.shift();
  }

  return {
    write: <Result>(work: () => Promise<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        queue.push({ work, resolve, reject, isAlone: false });
        loop ??= commitAll();
      }),
    /** A read must wait for `underWay`, because the open transaction may still be rolled back. */
    underWay: () => underWay,
    waiting: () => queue.length,
    /** Resolves when no write waits. */
    async flush(): Promise<void> {
      while (loop) await loop;
    },
  };
}

/** A write that fails undoes itself alone. */
async function runInSavepoint(
  connection: Libsql.Database,
  { work, resolve, reject }: Write,
): Promise<Report> {
  connection.exec('SAVEPOINT one');
  try {
    const result = (await work()) as never;
    connection.exec('RELEASE one');
    return () => resolve(result);
  } catch (error) {
    if (!connection.inTransaction) throw error;
    connection.exec('ROLLBACK TO one; RELEASE one');
    return () => reject(error);
  }
}

const allFailed = (group: readonly Write[], error: unknown): Report[] =>
  group.map(
    ({ reject }) =>
      () =>
        reject(error),
  );
