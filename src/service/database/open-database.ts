import { LocalError } from '../../core/errors.ts';
import { errorMessageOf } from '../../core/lib/system.ts';
import { type Database, isStoreBroken, type StoreLocation } from './database.ts';

export async function openDatabase(place: StoreLocation): Promise<Database> {
  if ('database' in place) return (await import('./postgres.ts')).openPostgres(place.database);
  return (await loadSqlite()).openSqlite(place.file);
}

const loadSqlite = () =>
  import('./sqlite.ts').catch((cause: Error) => {
    throw new LocalError(`The embedded service could not be loaded: ${errorMessageOf(cause)}`, {
      hint: 'Install vals again on this machine, with this version of Node.',
      cause,
    });
  });

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
