import { setImmediate as nextTurn } from 'node:timers/promises';

/** SQLite reads as many rows in a few milliseconds, in which nobody else is answered. */
export const rowsPerStep = 200;

/** Reads rows a step at a time, each from where the last one ended. Other requests are answered in between. */
export async function* inSteps<Row>(
  read: (last: Row | undefined, most: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let last: Row | undefined;
  for (;;) {
    const rows = await read(last, rowsPerStep);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < rowsPerStep) return;
    await nextTurn();
  }
}
