// Commits all writes of one turn of the event loop together, so that these writes wait for the disk only once. If one
// write fails, the other writes are still committed. For example, `push --local` of 1,000 files waits for the disk 119
// times instead of 1,000 times.
import type Libsql from 'libsql';

interface Write {
  work(): Promise<unknown>;
  resolve(result: never): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  /** Runs the work in a transaction. When the promise is fulfilled, the writes are on the disk. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Returns a promise that resolves when the open transaction ends, or undefined if no transaction is open. A read must
   * wait for this promise, because the transaction may still be rolled back.
   */
  underWay(): Promise<void> | undefined;
  flush(): Promise<void>;
}

/**
 * `before` runs before each transaction, and `after` runs after each commit. Both throw if the files of the store were
 * removed or replaced.
 */
export function createGroupCommit(
  connection: Libsql.Database,
  { before, after }: { before(): void; after(): void },
): GroupCommit {
  let waiting: Write[] = [];
  let underWay: Promise<void> | undefined;

  /** Returns one function for each write. The function resolves or rejects the promise of the write. */
  async function commit(group: Write[]): Promise<(() => void)[]> {
    try {
      before();
      connection.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return allFailed(group, error);
    }
    const outcomes: (() => void)[] = [];
    try {
      for (const write of group) outcomes.push(await runInSavepoint(write));
      connection.exec('COMMIT');
    } catch (error) {
      // If the disk is full, SQLite has already rolled back the transaction. Small writes of the group may still fit on
      // the disk, so each write is tried alone.
      if (connection.inTransaction) connection.exec('ROLLBACK');
      return group.length === 1 ? allFailed(group, error) : oneByOne(group);
    }
    try {
      after();
    } catch (error) {
      return allFailed(group, error);
    }
    return outcomes;
  }

  async function oneByOne(group: Write[]): Promise<(() => void)[]> {
    const outcomes: (() => void)[] = [];
    for (const write of group) outcomes.push(...(await commit([write])));
    return outcomes;
  }

  /** If the work fails, undoes only this write. But if the error has ended the whole transaction, throws the error. */
  async function runInSavepoint({ work, resolve, reject }: Write): Promise<() => void> {
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

  async function flush(): Promise<void> {
    while (underWay) await underWay;
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    const committed = commit(group).catch((error) => allFailed(group, error));
    underWay = committed.then(() => {
      underWay = undefined;
    });
    for (const report of await committed) report();
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        if (waiting.length === 1) setImmediate(flush);
      }),
    underWay: () => underWay,
    flush,
  };
}

const allFailed = (group: Write[], error: unknown) =>
  group.map(
    ({ reject }) =>
      () =>
        reject(error),
  );
