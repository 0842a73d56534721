// Commits all writes of one turn of the event loop together, so that they wait for the disk once. If one
// write fails, the other writes are still committed.
// `push --local` of 1,000 files waits for the disk 119 times instead of 1,000.
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
   * Resolves when the open transaction ends. Without this wait, a read could return rows that are rolled back later.
   */
  underWay(): Promise<void> | undefined;
  flush(): Promise<void>;
}

/** `before` and `after` run around each commit, and throw if the files of the store were removed or replaced. */
export function createGroupCommit(
  connection: Libsql.Database,
  { before, after }: { before(): void; after(): void },
): GroupCommit {
  let waiting: Write[] = [];
  let underWay: Promise<void> | undefined;

  /** Returns a function for each write. It tells the caller of that write whether the write was committed. */
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
      // If the disk is full, SQLite has already rolled back. Small writes of the group may still fit, so each is tried
      // alone.
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

  /** Throws only if the whole transaction has ended. Any other error belongs to this write alone. */
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
