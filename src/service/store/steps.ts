import { setTimeout } from 'node:timers/promises';

/**
 * Waits after each step as long as the step took, so that other requests are answered in between. A step that first
 * waits for other writes calls `onBegin` after that wait, so that the wait does not count.
 */
export async function inSteps<Result>(
  step: (onBegin: () => void) => Promise<Result | undefined>,
): Promise<Result> {
  for (;;) {
    let start = performance.now();
    const result = await step(() => {
      start = performance.now();
    });
    if (result !== undefined) return result;
    await setTimeout(performance.now() - start);
  }
}
