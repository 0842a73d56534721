// Limits the bytes of request bodies and answers in memory, for one caller and for all callers together.
import { Problem } from '../problem.ts';

interface Held {
  /** Throws a Problem: 429 if the caller has too many bytes in memory, or 503 if all callers together have too many. */
  add(bytes: number): void;
  addAnyway(bytes: number): void;
  release(): void;
}

export interface MemoryLimit {
  /** Begins a request. Refuses the request if earlier requests leave no room for its answer. */
  open(caller: string): Held;
}

/** A request is admitted only if this many bytes are free. Almost all answers are smaller. */
const roomForAnswer = 4 * 1024 * 1024;

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
      expectRoom(caller, roomForAnswer);
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
