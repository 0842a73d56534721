import { setTimeout } from 'node:timers/promises';

/** Waits after each step as long as the step took, so that other requests are answered in between. */
export async function inSteps<Result>(step: () => Promise<Result | undefined>): Promise<Result> {
  for (;;) {
    const start = performance.now();
    const result = await step();
    if (result !== undefined) return result;
    await setTimeout(performance.now() - start);
  }
}
