import { type Database, isStoreBroken } from './database.ts';

export interface OutageReports {
  onFailure(error: unknown): void;
  onRecovery(): void;
}

/** Reports when the database stops working, and when it works again: each time, and once each. */
export function reportOutages(database: Database, { onFailure, onRecovery }: OutageReports): Database {
  let begun = 0;
  let outage: { sort: string; since: number } | undefined;

  /** Only what began after the failure, and is of its sort, proves that it is over: on a full disk, reads still work. */
  async function watch<Result>(sort: 'read' | 'write', work: () => Promise<Result>): Promise<Result> {
    begun += 1;
    const number = begun;
    try {
      const result = await work();
      if (outage?.sort === sort && number > outage.since) {
        outage = undefined;
        onRecovery();
      }
      return result;
    } catch (error) {
      if (isStoreBroken(error)) {
        if (!outage) onFailure(error);
        outage = { sort, since: begun };
      }
      throw error;
    }
  }

  return {
    ...database,
    query: (statement) => watch('read', () => database.query(statement)),
    transaction: (work, row) => watch('write', () => database.transaction(work, row)),
    probe: () => watch('read', database.probe),
  };
}
