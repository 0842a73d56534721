// Limits the bytes of bodies and answers that are in memory, for one caller and for all callers.
import { Problem } from '../problem.ts';

interface Held {
  /** Refuses with 429 if one caller has too many bytes in memory, and with 503 if all callers together have. */
  add(bytes: number): void;
  addAnyway(bytes: number): void;
  release(): void;
}

export interface MemoryLimit {
  /** Begins a request. Refuses it if the requests before it leave no room for a large answer. */
  open(caller: string): Held;
}

/** Larger answers are rare. */
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
      throw new Problem(
        429,
        'You have too many bytes in requests and unread answers. Read the answers first.',
        {
          headers,
        },
      );
    }
    if (all + bytes > ofAll)
      throw new Problem(503, 'The service is busy. Try again in a second.', { headers });
  };

  return {
    open(caller) {
      // Refuses the request before any work is done for it.
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
