import { createSlots } from '../../lib/slots.ts';
import { DatabaseFailure } from './database.ts';

interface Limits {
  connections: number;
  waitingPerRow: number;
  waitMs: number;
}

/** Lets only one write per row take a connection, so that waiting writes do not take all connections. */
export function createRowQueue({ connections, waitingPerRow, waitMs }: Limits) {
  const rows = new Map<string, (() => void)[]>();
  const freeConnections = createSlots(connections);

  async function waitForRow(row: string): Promise<void> {
    const queue = rows.get(row);
    if (!queue) {
      rows.set(row, []);
      return;
    }
    if (queue.length >= waitingPerRow) throw busy('too many writes wait for this row');
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

  return {
    waiting: () => [...rows.values()].reduce((sum, { length }) => sum + length, freeConnections.waiting()),
    async run<Result>(row: string | undefined, work: () => Promise<Result>): Promise<Result> {
      if (row === undefined) return freeConnections.run(work);
      await waitForRow(row);
      try {
        return await freeConnections.run(work);
      } finally {
        leave(row);
      }
    },
  };
}

const busy = (reason: string) => new DatabaseFailure('busy', new Error(reason));
