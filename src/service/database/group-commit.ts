import { setImmediate as nextTurn } from 'node:timers/promises';
import type Libsql from 'libsql';

interface Write {
  work(): Promise<unknown>;
  resolve(result: never): void;
  reject(error: unknown): void;
}

type Report = () => void;

interface GroupCommitOptions {
  mostMs: number;
  /** Begins a transaction. Reads are answered while this waits for the lock. */
  begin(): Promise<void>;
  after(): void;
}

export function createGroupCommit(connection: Libsql.Database, { mostMs, begin, after }: GroupCommitOptions) {
  let waiting: Write[] = [];
  /** Writes whose shared commit failed. */
  let single: Write[] = [];
  let loop: Promise<void> | undefined;
  let underWay: Promise<Report[]> | undefined;

  async function commitAll(): Promise<void> {
    while (single.length + waiting.length > 0) {
      // Other requests are answered before these writes begin.
      await nextTurn();
      if (!(await canBegin())) continue;
      const group = nextGroup();
      underWay = commit(group).catch((error) => allFailed(group, error));
      const reports = await underWay;
      underWay = undefined;
      for (const report of reports) report();
    }
    loop = undefined;
  }

  /** If the lock is not to be had, those writes fail that waited for it all the time. */
  async function canBegin(): Promise<boolean> {
    const early = new Set([...single, ...waiting]);
    try {
      await begin();
      return true;
    } catch (error) {
      single = [];
      waiting = waiting.filter((write) => !early.has(write));
      for (const { reject } of early) reject(error);
      return false;
    }
  }

  function nextGroup(): Write[] {
    const group = single.length > 0 ? single.splice(0, 1) : waiting;
    if (group === waiting) waiting = [];
    return group;
  }

  async function commit(group: Write[]): Promise<Report[]> {
    const reports: Report[] = [];
    try {
      const end = performance.now() + mostMs;
      for (const write of group) {
        reports.push(await runInSavepoint(connection, write));
        if (performance.now() > end) break;
      }
      waiting = [...group.splice(reports.length), ...waiting];
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      if (group.length === 1) return allFailed(group, error);
      single = group;
      return [];
    }
    after();
    return reports;
  }

  return {
    write: <Result>(work: () => Promise<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        loop ??= commitAll();
      }),
    /** A read must wait for `underWay`, because the open transaction may still be rolled back. */
    underWay: () => underWay,
    waiting: () => single.length + waiting.length,
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
