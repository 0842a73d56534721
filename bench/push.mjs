// Many files pushed at once, compared with the best time that the delay of the service allows.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsFor, withService } from './bench.mjs';
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
    atDelay(`${many} at ${delayMs} ms, --concurrency 8`, 8, 1.1),
    atDelay(`${many} at ${delayMs} ms, --concurrency 32`, 32, 1.3),
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
        const folder = manyFiles(bench);
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
export async function mustHavePushed(service, files) {
  const counts = await service.counts();
  if (counts.requests - counts.refused !== files || counts.vals !== files) {
    throw new Error(`${counts.requests} requests brought ${counts.vals} vals, not ${files}`);
  }
  return counts;
}

/** @param {Bench} bench files of 4 KB */
export function manyFiles({ scratch, sizes }) {
  const folder = join(scratch.folder, 'many-files');
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < sizes.files; index += 1) {
    const name = `val${String(index).padStart(4, '0')}`;
    const line = `export const line = 'a line of the code of ${name}, as long as lines of code are';\n`;
    const code = line.repeat(Math.ceil(4096 / line.length)).slice(0, 4096);
    writeFileSync(join(folder, `${name}.ts`), code);
  }
  return folder;
}
