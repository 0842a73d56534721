import { existingStats } from '../../lib/paths.ts';
import { createSlots } from '../../lib/slots.ts';

const largeBytes = 1_048_576;

export type LargeFileGate = <Result>(path: string, work: () => Promise<Result>) => Promise<Result>;

/** Runs the work for large files one at a time, because the code of 32 large files at once would fill the memory. */
export function createLargeFileGate(): LargeFileGate {
  const oneAtATime = createSlots(1);
  return (path, work) => (isLarge(path) ? oneAtATime.run(work) : work());
}

const isLarge = (path: string): boolean => (existingStats(path)?.size ?? 0) > largeBytes;
