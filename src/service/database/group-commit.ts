// Commits together all writes of one turn of the event loop, so that they wait for the disk once. Each can fail alone.
// `push --local` of 1,000 files waits for the disk 119 times instead of 1,000.
import type Libsql from 'libsql';

interface Write {
  work(): Promise<unknown>;
  resolve(result: never): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  /** Runs the work within a transaction. When the promise is fulfilled, the writes are on the disk. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The open transaction, if there is one. A read before its end could see rows that are rolled back. */
  underWay(): Promise<void> | undefined;
  /** Commits at once the writes that are waiting. */
  flush(): Promise<void>;
}

/** `before` and `after` run around each commit, and throw if the store can no longer be trusted. */
export function createGroupCommit(
  connection: Libsql.Database,
  { before, after }: { before(): void; after(): void },
): GroupCommit {
  let waiting: Write[] = [];
  let underWay: Promise<void> | undefined;

  /** Commits the group. Returns a function for each write that reports its outcome. */
  async function commit(group: Write[]): Promise<(() => void)[]> {
    try {
      before();
      connection.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return allFailed(group, error);
    }
    const outcomes: (() => void)[] = [];
    try {
      for (const write of group) outcomes.push(await runApart(write));
      connection.exec('COMMIT');
    } catch (error) {
      // On a full disk SQLite has rolled back by itself. Some writes of the group may still have room: try each alone.
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

  /** Runs one write in a savepoint. Throws only if the whole transaction has ended. */
  async function runApart({ work, resolve, reject }: Write): Promise<() => void> {
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
    for (const settle of await committed) settle();
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
