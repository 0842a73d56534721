import { existingStats } from '../../lib/paths.ts';
import { createSlots, createTurn, type Turn } from '../../lib/slots.ts';

const largeBytes = 1_048_576;

export type LargeCodeGate = <Result>(
  path: string | undefined,
  work: (turn: Turn) => Promise<Result>,
) => Promise<Result>;

/**
 * Works on large code one val at a time, because the code of 32 large vals at once would fill the memory. If the
 * answer of the service is large, the work must begin its turn.
 */
export function createLargeCodeGate(): LargeCodeGate {
  const oneAtATime = createSlots(1);
  return async (path, work) => {
    const turn = createTurn(oneAtATime);
    try {
      if (path !== undefined && isLarge(path)) await turn.begin();
      return await work(turn);
    } finally {
      turn.end();
    }
  };
}

const isLarge = (path: string): boolean => (existingStats(path)?.size ?? 0) > largeBytes;
