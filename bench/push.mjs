// Many files pushed at once: against the best that the service's delay allows, and against curl.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installed, settingsFor, token, withService } from './bench.mjs';
import { interleaved, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./report.mjs').LinePlan} LinePlan */
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
    againstCurl(many),
    secured(many),
    embedded(`vals push --local of ${files.toLocaleString('en')} files`),
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
        const { folder } = manyFiles(bench);
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
        const { folder, bodies } = manyFiles(bench);
        /** @param {import('./run.mjs').Command} command */
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
 * @param {string} many
 * @returns {Measurement}
 */
function secured(many) {
  const what = `${many} over TLS at 0 ms, to one curl --parallel`;
  return {
    group: 'push',
    plans: [{ what, unit: '×' }],
    measure: (bench) =>
      withService({ secure: true }, async (service) => {
        const curl = installed('curl');
        if (!curl) return { [what]: { skipped: 'curl is not installed' } };
        const { folder, bodies } = manyFiles(bench);
        const { vals, parallel } = await interleaved(
          {
            vals: () => timeOf(pushCommand(bench, service, folder, 8)),
            parallel: () => timeOf(parallelCurl(bench, service, bodies, curl)),
          },
          bench.rounds.bulk,
        );
        const timings = { [many]: vals, 'curl --parallel': parallel };
        return { [what]: { figure: vals.medianMs / parallel.medianMs, timings } };
      }),
  };
}

/**
 * Into an empty store each time.
 * @param {string} what
 * @returns {Measurement}
 */
function embedded(what) {
  return {
    group: 'push',
    plans: [{ what, unit: 's' }],
    async measure(bench) {
      const { folder } = manyFiles(bench);
      const { vals } = await interleaved(
        {
          vals() {
            const data = join(bench.scratch.folder, 'embedded');
            rmSync(data, { recursive: true, force: true });
            return timeOf(bench.vals(['push', '--local', folder], { VALS_DATA_DIR: data }));
          },
        },
        bench.rounds.slow,
      );
      return { [what]: { figure: vals.medianMs / 1_000, timings: { [what]: vals } } };
    },
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

/** @param {Bench} bench files of 4 KB for vals, and for curl the bodies that vals makes of them */
export function manyFiles({ scratch, sizes }) {
  const folder = join(scratch.folder, 'many-files');
  const bodiesFolder = join(scratch.folder, 'many-bodies');
  mkdirSync(folder, { recursive: true });
  mkdirSync(bodiesFolder, { recursive: true });
  const bodies = [];
  for (let index = 0; index < sizes.files; index += 1) {
    const name = `val${String(index).padStart(4, '0')}`;
    const line = `export const line = 'a line of the code of ${name}, as long as lines of code are';\n`;
    const code = line.repeat(Math.ceil(4096 / line.length)).slice(0, 4096);
    writeFileSync(join(folder, `${name}.ts`), code);
    const body = join(bodiesFolder, `${name}.json`);
    writeFileSync(body, JSON.stringify({ name, code }));
    bodies.push(body);
  }
  return { folder, bodies };
}

const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`];
/** @param {Service} service */
const urlOf = ({ baseUrl }) => `${baseUrl}/v1/vals`;

/**
 * One curl that sends all of them, eight at a time, on connections that it keeps.
 * @param {Bench} bench
 * @param {Service} service
 * @param {readonly string[]} bodies
 * @param {string} curl
 */
function parallelCurl(bench, service, bodies, curl) {
  const transfers = bodies.map((body) =>
    [
      `url = "${urlOf(service)}"`,
      'request = "PUT"',
      ...headers.map((header) => `header = "${header}"`),
      `data-binary = "@${body}"`,
      'output = "/dev/null"',
      'fail',
      'no-progress-meter',
      'insecure',
    ].join('\n'),
  );
  const config = join(bench.scratch.folder, 'curl.config');
  writeFileSync(config, `${transfers.join('\nnext\n')}\n`);
  return bench.other(curl, ['--parallel', '--parallel-max', '8', '--config', config]);
}

/**
 * A curl for each of them, eight at a time: what scripts do.
 * @param {Bench} bench
 * @param {Service} service
 * @param {readonly string[]} bodies
 * @param {{ curl: string, xargs: string }} programs
 */
function curlForEach(bench, service, bodies, { curl, xargs }) {
  const list = join(bench.scratch.folder, 'bodies.list');
  writeFileSync(list, bodies.map((body) => `@${body}\n`).join(''));
  const options = headers.flatMap((header) => ['-H', header]);
  const each = ['-sS', '--fail', '-o', '/dev/null', '-X', 'PUT', ...options, urlOf(service), '--data-binary'];
  return bench.other(xargs, ['-a', list, '-P8', '-n1', curl, ...each]);
}
