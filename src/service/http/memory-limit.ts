// How many bytes of bodies and answers may be in memory at a time, for one caller and for all.
import { Problem } from '../problem.ts';

interface Held {
  /** Refuses with 429 if these bytes are too many for the caller, with 503 if they are too many for all. */
  add(bytes: number): void;
  addAnyway(bytes: number): void;
  release(): void;
}

export interface MemoryLimit {
  /** For one request of a caller. Refuses if those before it left no room for a large answer. */
  open(caller: string): Held;
}

/** An answer that is larger than this is rare. */
const roomForOne = 4 * 1024 * 1024;

export function createMemoryLimit({ ofOne, ofAll }: { ofOne: number; ofAll: number }): MemoryLimit {
  const byCaller = new Map<string, number>();
  let all = 0;

  const change = (caller: string, bytes: number) => {
    all += bytes;
    const left = (byCaller.get(caller) ?? 0) + bytes;
    if (left > 0) byCaller.set(caller, left);
    else byCaller.delete(caller);
  };

  const expectRoom = (caller: string, bytes: number) => {
    const headers = { 'Retry-After': '1' };
    if ((byCaller.get(caller) ?? 0) + bytes > ofOne) {
      throw new Problem(429, 'Too many bytes are under way. Read the answers first.', { headers });
    }
    if (all + bytes > ofAll) throw new Problem(503, 'The service is busy.', { headers });
  };

  return {
    open(caller) {
      // Before any work is done for it.
      expectRoom(caller, roomForOne);
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
          expectRoom(caller, bytes);
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
