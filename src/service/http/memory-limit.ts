import { Problem } from '../problem.ts';

interface Held {
  add(bytes: number): void;
  addAnyway(bytes: number): void;
  release(): void;
}

interface MemoryLimits {
  perCaller: number;
  total: number;
  /** Above `total - kept`, only callers who hold at most `small` get more. */
  small: number;
  kept: number;
}

const roomForAnswer = 4 * 1024 * 1024;

/**
 * Keeps a part of the memory for callers who use little. Otherwise, two people who do not read their answers could use
 * all the memory, and the service would refuse everybody else.
 */
export function createMemoryLimit({ perCaller, total, small, kept }: MemoryLimits) {
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
    const ofCaller = (byCaller.get(caller) ?? 0) + bytes;
    if (ofCaller > perCaller) {
      const detail =
        'Your requests and unread answers take too much memory. Read the answers, then try again.';
      throw new Problem(429, detail, { headers });
    }
    if (all + bytes > (ofCaller > small ? total - kept : total))
      throw new Problem(503, 'The service is busy. Try again in a second.', { headers });
  };

  return (caller: string): Held => {
    expectRoom(caller, roomForAnswer);
    let own = 0;
    let isReleased = false;
    const addAnyway = (bytes: number) => {
      if (isReleased) return;
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
        if (!isReleased) change(caller, -own);
        isReleased = true;
      },
    };
  };
}
