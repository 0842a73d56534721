// Writes that need the same row take their turn here, before they take a connection of the database. So the writers of one
// row wait with one connection, and other requests find the others free.
import { DatabaseFailure } from './database.ts';

interface Limits {
  /** Of writes, so that reads always find a connection. */
  connections: number;
  /** Of writes that wait for one row. */
  waiting: number;
  waitMs: number;
}

export interface RowQueue {
  /** How many writes wait for a row or a connection. */
  waiting(): number;
  /** Fails as busy if too many writes wait for the row, or if this one has waited for too long. */
  run<Result>(row: string | undefined, work: () => Promise<Result>): Promise<Result>;
}

export function createRowQueue({ connections, waiting, waitMs }: Limits): RowQueue {
  const rows = new Map<string, (() => void)[]>();
  const withoutConnection: (() => void)[] = [];
  let free = connections;

  async function turnAt(row: string): Promise<void> {
    const queue = rows.get(row);
    if (!queue) {
      rows.set(row, []);
      return;
    }
    if (queue.length >= waiting) throw busy('too many writes wait for this row');
    const start = performance.now();
    await new Promise<void>((resolve) => queue.push(resolve));
    if (performance.now() - start > waitMs) {
      leave(row);
      throw busy('the row was not free in time');
    }
  }

  function leave(row: string): void {
    const next = rows.get(row)?.shift();
    if (next) next();
    else rows.delete(row);
  }

  async function withConnection<Result>(work: () => Promise<Result>): Promise<Result> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => withoutConnection.push(resolve));
    try {
      return await work();
    } finally {
      const next = withoutConnection.shift();
      if (next) next();
      else free += 1;
    }
  }

  return {
    waiting: () => [...rows.values()].reduce((sum, { length }) => sum + length, withoutConnection.length),
    async run(row, work) {
      if (row === undefined) return withConnection(work);
      await turnAt(row);
      try {
        return await withConnection(work);
      } finally {
        leave(row);
      }
    },
  };
}

const busy = (reason: string) => new DatabaseFailure('busy', new Error(reason));
