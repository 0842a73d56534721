// Runs by turns, so that whatever slows the machine for a while slows all of them alike.

/** @typedef {{ medianMs: number, fastestMs: number, runs: number }} Timing */

/**
 * @template {Record<string, (() => Promise<number>) | undefined>} Timed
 * @param {Timed} timed each resolves to its milliseconds
 * @param {{ runs: number, warmUps: number }} rounds
 * @returns {Promise<{ [Name in keyof Timed]: undefined extends Timed[Name] ? Timing | undefined : Timing }>}
 */
export async function interleaved(timed, { runs, warmUps }) {
  const entries = Object.entries(timed).flatMap(([name, time]) => (time ? [{ name, time }] : []));
  const samples = new Map(entries.map(({ name }) => [name, /** @type {number[]} */ ([])]));
  for (let round = -warmUps; round < runs; round += 1) {
    // In another order each time, so that nobody has always the same neighbour, or is its own.
    for (const { name, time } of shuffled(entries)) {
      const ms = await time();
      if (round >= 0) samples.get(name)?.push(ms);
    }
  }
  const timings = Object.fromEntries([...samples].map(([name, times]) => [name, timingOf(times)]));
  return /** @type {any} */ (timings);
}

/**
 * @template Item
 * @param {readonly Item[]} items
 * @returns {Item[]}
 */
const shuffled = (items) =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);

/** @param {readonly number[]} times @returns {Timing} */
function timingOf(times) {
  const toMicroseconds = (/** @type {number} */ ms) => Math.round(ms * 1_000) / 1_000;
  return {
    medianMs: toMicroseconds(median(times)),
    fastestMs: toMicroseconds(Math.min(...times)),
    runs: times.length,
  };
}

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
