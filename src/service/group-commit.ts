// Writes that share a commit: those of one turn of the event loop wait for the disk once, and each can fail alone.
// `push --local` of 1,000 files waits for the disk 119 times instead of 1,000.
import type Libsql from 'libsql';

interface Write {
  work(): unknown;
  resolve(result: never): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  /** Runs the work within a transaction; once the promise is fulfilled, what it wrote is on the disk. */
  write<Result>(work: () => Result): Promise<Result>;
  /** Does at once what still waits. */
  flush(): void;
}

/** `before` and `after` a commit, something may say that the store cannot be trusted with it. */
export function createGroupCommit(
  connection: Libsql.Database,
  { before, after }: { before(): void; after(): void },
): GroupCommit {
  let waiting: Write[] = [];

  /** Tries to commit them, and says how each ended. */
  function commit(group: Write[]): (() => void)[] {
    const allFailed = (error: unknown) =>
      group.map(
        ({ reject }) =>
          () =>
            reject(error),
      );
    try {
      before();
      connection.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return allFailed(error);
    }
    const outcomes: (() => void)[] = [];
    try {
      for (const write of group) outcomes.push(runApart(write));
      connection.exec('COMMIT');
    } catch (error) {
      // A full disk has ended the transaction already, for those as well that it has room for.
      if (connection.inTransaction) connection.exec('ROLLBACK');
      return group.length === 1 ? allFailed(error) : group.flatMap((write) => commit([write]));
    }
    try {
      after();
    } catch (error) {
      return allFailed(error);
    }
    return outcomes;
  }

  /** How it ends once the group is on the disk. Throws where the transaction of all has ended. */
  function runApart({ work, resolve, reject }: Write): () => void {
    connection.exec('SAVEPOINT one');
    try {
      const result = work() as never;
      connection.exec('RELEASE one');
      return () => resolve(result);
    } catch (error) {
      if (!connection.inTransaction) throw error;
      connection.exec('ROLLBACK TO one; RELEASE one');
      return () => reject(error);
    }
  }

  const flush = () => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    for (const settle of commit(group)) settle();
  };

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        if (waiting.length === 1) setImmediate(flush);
      }),
    flush,
  };
}
