import { createSlots } from '../../core/lib/waiting.ts';
import { DatabaseFailure } from './database.ts';

/** Fewer than there are connections, so that reads find a free one. */
const mostWrites = 7;

/** Writes to one row wait for each other here, and not in the database, where each would keep a connection. */
export function createWriteSlots(waitMs: number) {
  const connections = createSlots(mostWrites);
  const lastOfRow = new Map<string, Promise<unknown>>();
  let waiting = 0;
  return {
    waiting: () => waiting,
    async run<Result>(row: string | undefined, work: () => Promise<Result>): Promise<Result> {
      const start = performance.now();
      waiting += 1;
      const begin = () =>
        connections.run(() => {
          waiting -= 1;
          if (performance.now() - start <= waitMs) return work();
          throw new DatabaseFailure('busy', new Error('the write could not begin in time'));
        });
      if (row === undefined) return begin();
      const write = (lastOfRow.get(row) ?? Promise.resolve()).then(begin, begin);
      lastOfRow.set(row, write);
      try {
        return await write;
      } finally {
        if (lastOfRow.get(row) === write) lastOfRow.delete(row);
      }
    },
  };
}
