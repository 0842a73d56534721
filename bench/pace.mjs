// A push that chooses its own concurrency, compared with one that was given a good number.
import { settingsFor, withService } from './bench.mjs';
import { manyFiles, mustHavePushed } from './push.mjs';
import { interleaved, timeOf } from './run.mjs';

/** @typedef {import('./report.mjs').Measurement} Measurement */

/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement[]}
 */
export function paces({ files }) {
  const many = `vals push of ${files.toLocaleString('en')} files`;
  return [
    { what: `${many} at 50 ms, to 8 at a time`, best: 8, atMost: 0.45, service: { delayMs: 50 } },
    {
      what: `${many}, 429 beyond 4 at a time, to 4 at a time`,
      best: 4,
      atMost: 1.3,
      service: { delayMs: 20, mostAtATime: 4 },
    },
  ].map(againstKnown);
}

/**
 * @param {{ what: string, best: number, atMost: number, service: object }} line
 * @returns {Measurement}
 */
function againstKnown({ what, best, atMost, service: options }) {
  return {
    group: 'push',
    plans: [{ what, unit: '×', goal: { atMost } }],
    measure: (bench) =>
      withService(options, async (service) => {
        const folder = manyFiles(bench);
        let refused = '';
        /** @param {string} concurrency */
        const push = (concurrency) => async () => {
          const args = ['push', folder, '--concurrency', concurrency];
          const ms = await timeOf(bench.vals(args, settingsFor(service)));
          const counts = await mustHavePushed(service, bench.sizes.files);
          if (concurrency === 'auto' && counts.refused > 0) {
            refused = `${((100 * counts.refused) / counts.requests).toFixed(1)} % of requests refused`;
          }
          return ms;
        };
        const { auto, known } = await interleaved(
          { auto: push('auto'), known: push(`${best}`) },
          bench.rounds.slow,
        );
        const timings = { auto, [`${best} at a time`]: known };
        return {
          [what]: {
            figure: auto.medianMs / known.medianMs,
            timings,
            ...(refused && { note: refused }),
          },
        };
      }),
  };
}
