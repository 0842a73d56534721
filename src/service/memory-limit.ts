// How many bytes of bodies and answers may be in memory at a time, for one caller and for all.
import { Problem } from './problem.ts';

export interface Held {
  /** Refuses with 429 if these bytes are too many for the caller, with 503 if they are too many for all. */
  add(bytes: number): void;
  addAnyway(bytes: number): void;
  release(): void;
}

export interface MemoryLimit {
  /** For one request of a caller. */
  open(caller: string): Held;
}

export function createMemoryLimit({ ofOne, ofAll }: { ofOne: number; ofAll: number }): MemoryLimit {
  const byCaller = new Map<string, number>();
  let all = 0;

  const change = (caller: string, bytes: number) => {
    all += bytes;
    const left = (byCaller.get(caller) ?? 0) + bytes;
    if (left > 0) byCaller.set(caller, left);
    else byCaller.delete(caller);
  };

  return {
    open(caller) {
      let own = 0;
      let isOver = false;
      const addAnyway = (bytes: number) => {
        if (isOver) return;
        own += bytes;
        change(caller, bytes);
      };
      return {
        addAnyway,
        add(bytes) {
          const headers = { 'Retry-After': '1' };
          if ((byCaller.get(caller) ?? 0) + bytes > ofOne) {
            throw new Problem(429, 'Too many bytes are under way. Read the answers first.', { headers });
          }
          if (all + bytes > ofAll) throw new Problem(503, 'The service is busy.', { headers });
          addAnyway(bytes);
        },
        release() {
          if (!isOver) change(caller, -own);
          isOver = true;
        },
      };
    },
  };
}
