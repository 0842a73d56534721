import type Libsql from 'libsql';

interface Write {
  work(): Promise<unknown>;
  resolve(result: never): void;
  reject(error: unknown): void;
}

type Report = () => void;

export function createGroupCommit(
  connection: Libsql.Database,
  { mostMs, before, after }: { mostMs: number; before(): void; after(): void },
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
      const end = performance.now() + mostMs;
      for (const write of group) {
        reports.push(await runInSavepoint(connection, write));
        if (performance.now() > end) break;
      }
      commitLater(group.splice(reports.length));
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      return group.length === 1 ? allFailed(group, error) : oneByOne(group);
    }
    after();
    return reports;
  }

  /** Other requests are answered before these writes begin. */
  function commitLater(writes: Write[]): void {
    if (writes.length > 0 && waiting.length === 0) setImmediate(commitSome);
    waiting = [...writes, ...waiting];
  }

  async function oneByOne(group: Write[]): Promise<Report[]> {
    const reports: Report[] = [];
    for (const write of group) reports.push(...(await commit([write])));
    return reports;
  }

  async function commitSome(): Promise<void> {
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

  async function flush(): Promise<void> {
    while (underWay || waiting.length > 0) await commitSome();
  }

  return {
    write: <Result>(work: () => Promise<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        if (waiting.length === 1) setImmediate(commitSome);
      }),
    /** A read must wait for `underWay`, because the open transaction may still be rolled back. */
    underWay: () => underWay,
    waiting: () => waiting.length,
    flush,
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

const allFailed = (group: Write[], error: unknown): Report[] =>
  group.map(
    ({ reject }) =>
      () =>
        reject(error),
  );
