// Many files pushed at once: against the best that the service's delay allows, and against curl.
import { settingsFor } from '../bench.mjs';
import { installed } from '../installed.mjs';
import { interleaved } from '../interleaved.mjs';
import { curlForEach, parallelCurl, writeManyFiles } from '../many-files.mjs';
import { timeOf } from '../run.mjs';
import { withService } from '../service/start.mjs';

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../lines.mjs').LinePlan} LinePlan */
/** @typedef {import('../lines.mjs').Measurement} Measurement */
/** @typedef {import('../service/start.mjs').Service} Service */

const delayMs = 50;

/**
 * @param {import('../bench.mjs').Sizes} sizes
 * @returns {Measurement[]}
 */
export function pushes({ files }) {
  const many = `vals push of ${files.toLocaleString('en')} files`;
  return [
    atDelay(`${many} at ${delayMs} ms, --concurrency 8`, 8, 1.1),
    atDelay(`${many} at ${delayMs} ms, --concurrency 32`, 32, 1.3),
    againstCurl(many),
  ];
}

/**
 * @param {string} what
 * @param {number} concurrency
 * @param {number} atMost
 * @returns {Measurement}
 */
function atDelay(what, concurrency, atMost) {
  return {
    group: 'push',
    plans: [{ what, unit: '×', goal: { atMost } }],
    measure: (bench) =>
      withService({ delayMs }, async (service) => {
        const { folder } = writeManyFiles(bench);
        const { files } = bench.sizes;
        let heldMs = 0;
        const push = async () => {
          const ms = await timeOf(pushCommand(bench, service, folder, concurrency));
          ({ heldMs } = await mustHavePushed(service, files));
          return ms;
        };
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
 * @param {string} many
 * @returns {Measurement}
 */
function againstCurl(many) {
  const toParallel = `${many} at 0 ms, to one curl --parallel`;
  const thanXargs = `${many} at 0 ms, speed over xargs -P8 curl`;
  return {
    group: 'push',
    plans: [
      { what: toParallel, unit: '×', goal: { atMost: 3 } },
      { what: thanXargs, unit: '×', goal: { atLeast: 10 } },
    ],
    measure: (bench) =>
      withService({}, async (service) => {
        const curl = installed('curl');
        const xargs = installed('xargs');
        if (!curl || !xargs) {
          const skipped = 'curl or xargs is not installed';
          return { [toParallel]: { skipped }, [thanXargs]: { skipped } };
        }
        const { folder, bodies } = writeManyFiles(bench);
        /** @param {import('../run.mjs').Command} command */
        const timed = (command) => async () => {
          const ms = await timeOf(command);
          await mustHavePushed(service, bodies.length);
          return ms;
        };
        const { vals, parallel, each } = await interleaved(
          {
            vals: timed(pushCommand(bench, service, folder, 8)),
            parallel: timed(parallelCurl(bench, service, bodies, curl)),
            each: timed(curlForEach(bench, service, bodies, { curl, xargs })),
          },
          bench.rounds.bulk,
        );
        return {
          [toParallel]: {
            figure: vals.medianMs / parallel.medianMs,
            timings: { [many]: vals, 'curl --parallel': parallel },
          },
          [thanXargs]: {
            figure: each.medianMs / vals.medianMs,
            timings: { [many]: vals, 'xargs -P8 curl': each },
          },
        };
      }),
  };
}

/**
 * @param {Bench} bench
 * @param {Service} service
 * @param {string} folder
 * @param {number} concurrency
 */
const pushCommand = (bench, service, folder, concurrency) =>
  bench.vals(['push', folder, '--concurrency', String(concurrency)], settingsFor(service));

/**
 * @param {Service} service
 * @param {number} files
 */
async function mustHavePushed(service, files) {
  const counts = await service.counts();
  if (counts.requests !== files || counts.vals !== files) {
    throw new Error(`${counts.requests} requests brought ${counts.vals} vals, not ${files}`);
  }
  return counts;
}
