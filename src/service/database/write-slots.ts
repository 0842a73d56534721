import { createSlots, type Slots } from '../../core/lib/waiting.ts';
import { DatabaseFailure } from './database.ts';

const mostWrites = 7;

/** Writes to one val wait for each other here, and not in the database, where each would keep a connection. */
export function createWriteSlots(waitMs: number) {
  const rows = createKeyedSlots();
  const connections = createSlots(mostWrites);
  let waiting = 0;
  return {
    waiting: () => waiting,
    async run<Result>(row: string | undefined, work: () => Promise<Result>): Promise<Result> {
      const start = performance.now();
      waiting += 1;
      const begin = () => {
        waiting -= 1;
        if (performance.now() - start <= waitMs) return work();
        throw new DatabaseFailure('busy', new Error('the write could not begin in time'));
      };
      const connect = () => connections.run(begin);
      return row === undefined ? connect() : rows(row).run(connect);
    },
  };
}

/** One slot for each key. Keys that nobody uses take no memory. */
function createKeyedSlots(): (key: string) => Slots {
  const byKey = new Map<string, Slots>();
  return (key) => {
    const known = byKey.get(key);
    if (known) return known;
    const slots = createSlots(1, () => byKey.delete(key));
    byKey.set(key, slots);
    return slots;
  };
}
