import { existingStats } from '../../lib/paths.ts';
import { createSlots, createTurn, type Turn } from '../../lib/slots.ts';

const largeBytes = 1_048_576;

export type LargeFileGate = <Result>(
  path: string | undefined,
  work: (turn: Turn) => Promise<Result>,
) => Promise<Result>;

/**
 * Runs the work for large files one at a time, because the code of 32 large files at once would fill the memory. If the
 * answer of the service is large, the work must begin its turn.
 */
export function createLargeFileGate(): LargeFileGate {
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
