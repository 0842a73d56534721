import { settingsFor, withService } from './bench.mjs';
import { interleaved, median, peakMegabytesOf, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./report.mjs').Measurement} Measurement */

const pageSize = 100;
const listing = ['runs', '--all', '--ndjson'];

/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement[]}
 */
export function lists({ listedRuns, fewRuns }) {
  const count = (/** @type {number} */ runs) => runs.toLocaleString('en');
  return [
    speed(`${count(listedRuns)} runs as --ndjson`),
    memory(`peak memory, ${count(listedRuns)} runs over ${count(fewRuns)}`),
  ];
}

/**
 * @param {string} what
 * @returns {Measurement}
 */
function speed(what) {
  return {
    group: 'list',
    plans: [{ what, unit: 'records/s', goal: { atLeast: 60_000 } }],
    measure: (bench) =>
      withService({ runs: bench.sizes.listedRuns }, async (service) => {
        const { listedRuns } = bench.sizes;
        const list = async () => {
          await service.counts();
          const ms = await timeOf(bench.vals(listing, settingsFor(service)));
          const { requests } = await service.counts();
          if (requests < listedRuns / pageSize) throw new Error(`only ${requests} pages were asked for`);
          return ms;
        };
        const { vals } = await interleaved({ vals: list }, bench.rounds.bulk);
        return { [what]: { figure: (listedRuns / vals.medianMs) * 1_000, timings: { [what]: vals } } };
      }),
  };
}

/**
 * @param {string} what
 * @returns {Measurement}
 */
function memory(what) {
  return {
    group: 'list',
    plans: [{ what, unit: 'MB', goal: { atMost: 25 } }],
    async measure(bench) {
      const few = await peakMegabytes(bench, bench.sizes.fewRuns);
      const many = await peakMegabytes(bench, bench.sizes.listedRuns);
      return { [what]: { figure: many - few, note: `${many.toFixed(0)} MB and ${few.toFixed(0)} MB` } };
    },
  };
}

/**
 * @param {Bench} bench
 * @param {number} runs
 */
function peakMegabytes(bench, runs) {
  return withService({ runs }, async (service) => {
    const command = bench.vals(listing, settingsFor(service));
    const peaks = [];
    for (let run = 0; run < bench.rounds.slow.runs; run += 1) peaks.push(await peakMegabytesOf(command));
    return median(peaks);
  });
}
