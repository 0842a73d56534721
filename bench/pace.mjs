// How many requests at a time a service takes well, found while pushing: against a client that knows the number.
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
      atMost: 1.2,
      service: { delayMs: 20, mostAtATime: 4 },
    },
    {
      what: `${many}, slower beyond 12 at a time, to 12 at a time`,
      best: 12,
      atMost: 1.15,
      service: { delayMs: 20, knee: 12 },
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
        const { folder, bodies } = manyFiles(bench);
        let refused = '';
        /** @param {string} concurrency */
        const push = (concurrency) => async () => {
          const args = ['push', folder, '--concurrency', concurrency];
          const ms = await timeOf(bench.vals(args, settingsFor(service)));
          const counts = await mustHavePushed(service, bodies.length);
          const share = (/** @type {number} */ part, /** @type {number} */ all) =>
            `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;
          if (concurrency === 'auto' && counts.refused > 0) {
            refused = `${share(counts.refused, counts.requests)} of requests refused, ${share(counts.refusedLate, counts.late)} after the first second`;
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
