import { settingsFor, withService, writeVals } from './bench.mjs';
import { interleaved, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./report.mjs').Measurement} Measurement */
/** @typedef {import('./bench.mjs').Service} Service */

const delayMs = 50;

/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement[]}
 */
export function pushes({ files }) {
  const many = `vals push of ${files.toLocaleString('en')} files`;
  return [
    fixed(`${many} at ${delayMs} ms, --concurrency 8`, 8, 1.1),
    fixed(`${many} at ${delayMs} ms, --concurrency 32`, 32, 1.3),
    auto(`${many} at ${delayMs} ms, to 8 at a time`, 8, 0.45, { delayMs }),
    auto(`${many}, 429 beyond 4 at a time, to 4 at a time`, 4, 1.3, { delayMs: 20, mostAtATime: 4 }),
  ];
}

/**
 * @param {string} what
 * @param {number} concurrency
 * @param {number} atMost
 * @returns {Measurement}
 */
function fixed(what, concurrency, atMost) {
  return {
    group: 'push',
    plans: [{ what, unit: '×', goal: { atMost } }],
    measure: (bench) =>
      withService({ delayMs }, async (service) => {
        const { files } = bench.sizes;
        let heldMs = 0;
        const push = pushing(bench, service, `${concurrency}`, (counts) => {
          heldMs = counts.heldMs;
        });
        const { vals } = await interleaved({ vals: push }, bench.rounds.slow);
        const bestMs = (files / concurrency) * delayMs;
        return {
          [what]: {
            figure: vals.medianMs / bestMs,
            timings: { [what]: vals, 'best possible': { medianMs: bestMs, fastestMs: bestMs, runs: 0 } },
            note: `the service held each answer for ${(heldMs / files).toFixed(1)} ms`,
          },
        };
      }),
  };
}

/**
 * @param {string} what
 * @param {number} goodConcurrency
 * @param {number} atMost
 * @param {import('./bench.mjs').ServiceOptions} options
 * @returns {Measurement}
 */
function auto(what, goodConcurrency, atMost, options) {
  return {
    group: 'push',
    plans: [{ what, unit: '×', goal: { atMost } }],
    measure: (bench) =>
      withService(options, async (service) => {
        let note = '';
        const noteRefused = (/** @type {import('./bench.mjs').Counts} */ { refused, requests }) => {
          if (refused > 0) note = `${((100 * refused) / requests).toFixed(1)} % of requests refused`;
        };
        const timings = await interleaved(
          {
            auto: pushing(bench, service, 'auto', noteRefused),
            good: pushing(bench, service, `${goodConcurrency}`, () => {}),
          },
          bench.rounds.slow,
        );
        return {
          [what]: {
            figure: timings.auto.medianMs / timings.good.medianMs,
            timings: { auto: timings.auto, [`${goodConcurrency} at a time`]: timings.good },
            ...(note && { note }),
          },
        };
      }),
  };
}

/**
 * Throws if a file did not arrive.
 * @param {Bench} bench
 * @param {Service} service
 * @param {string} concurrency
 * @param {(counts: import('./bench.mjs').Counts) => void} onPushed
 */
function pushing({ scratch, sizes, vals }, service, concurrency, onPushed) {
  const folder = scratch.subfolder('many-files');
  writeVals(folder, sizes.files);
  return async () => {
    const ms = await timeOf(vals(['push', folder, '--concurrency', concurrency], settingsFor(service)));
    const counts = await service.counts();
    if (counts.requests - counts.refused !== sizes.files || counts.vals !== sizes.files) {
      throw new Error(`${counts.requests} requests brought ${counts.vals} vals, not ${sizes.files}`);
    }
    onPushed(counts);
    return ms;
  };
}
