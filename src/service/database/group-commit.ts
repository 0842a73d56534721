import type Libsql from 'libsql';

interface Write {
  work(): Promise<unknown>;
  resolve(result: never): void;
  reject(error: unknown): void;
}

type Report = () => void;

export function createGroupCommit(
  connection: Libsql.Database,
  { before, after }: { before(): void; after(): void },
) {
  let waiting: Write[] = [];
  let underWay: Promise<void> | undefined;

  async function commit(group: Write[]): Promise<Report[]> {
    try {
      before();
      connection.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return allFailed(group, error);
    }
    const reports: Report[] = [];
    try {
      for (const write of group) reports.push(await runInSavepoint(write));
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      return group.length === 1 ? allFailed(group, error) : oneByOne(group);
    }
    try {
      after();
    } catch (error) {
      return allFailed(group, error);
    }
    return reports;
  }

  async function oneByOne(group: Write[]): Promise<Report[]> {
    const reports: Report[] = [];
    for (const write of group) reports.push(...(await commit([write])));
    return reports;
  }

  async function runInSavepoint({ work, resolve, reject }: Write): Promise<Report> {
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
    write: <Result>(work: () => Promise<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        if (waiting.length === 1) setImmediate(flush);
      }),
    /** A read must wait for `underWay`, because the open transaction may still be rolled back. */
    underWay: () => underWay,
    flush,
  };
}

const allFailed = (group: Write[], error: unknown): Report[] =>
  group.map(
    ({ reject }) =>
      () =>
        reject(error),
  );
