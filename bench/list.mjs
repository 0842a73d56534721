import { installed, settingsFor, token, withService } from './bench.mjs';
import { interleaved, median, outputOf, peakMegabytesOf, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./report.mjs').Measurement} Measurement */
/** @typedef {import('./bench.mjs').Service} Service */

const pageSize = 100;
const pageDelayMs = 20;
const listing = ['runs', '--all', '--ndjson'];
/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement[]}
 */
export function lists({ listedRuns, fewRuns }) {
  const count = (/** @type {number} */ runs) => runs.toLocaleString('en');
  const list = `${count(listedRuns)} runs as --ndjson`;
  return [
    againstCurl(list),
    againstCurlOnMadePages(`${list}, pages made on request`, false),
    againstCurlOnMadePages(`${list} over TLS, pages made on request`, true),
    flatMemory(`peak memory, ${count(listedRuns)} runs over ${count(fewRuns)}`),
    atDelay(`${list}, ${pageDelayMs} ms a page, to one after another`),
  ];
}

/**
 * @param {string} list
 * @returns {Measurement}
 */
function againstCurl(list) {
  const toCurl = `${list}, pages ready, to one curl`;
  const perSecond = `${list}, pages ready`;
  const intoPipe = `${list}, pages ready, into a pipe`;
  return {
    group: 'list',
    plans: [
      { what: toCurl, unit: '×', goal: { atMost: 1.4 } },
      { what: perSecond, unit: 'records/s', goal: { atLeast: 150_000 } },
      { what: intoPipe, unit: 'records/s' },
    ],
    measure: (bench) =>
      withService({ runs: bench.sizes.listedRuns }, async (service) => {
        const { listedRuns } = bench.sizes;
        const curl = curlOverPages(bench, service);
        const { vals, piped, curled } = await interleaved(
          {
            vals: intoNothing(bench, service),
            piped: throughPipe(bench, service),
            curled: curl && allPages(bench, service, curl),
          },
          bench.rounds.bulk,
        );
        const speed = (/** @type {{ medianMs: number }} */ { medianMs }) => (listedRuns / medianMs) * 1_000;
        return {
          [toCurl]: ratioToCurl(list, vals, curled),
          [perSecond]: {
            figure: speed(vals),
            timings: { [list]: vals },
            ...(curled && { note: `curl: ${Math.round(speed(curled)).toLocaleString('en')} records/s` }),
          },
          [intoPipe]: { figure: speed(piped), timings: { [`${list} | wc -l`]: piped } },
        };
      }),
  };
}

/**
 * Most services make a page when it is asked for; then making it is most of the time, for curl as well.
 * @param {string} list
 * @param {boolean} secure
 * @returns {Measurement}
 */
function againstCurlOnMadePages(list, secure) {
  const what = `${list}, to one curl`;
  return {
    group: 'list',
    plans: [{ what, unit: '×', goal: { atMost: 1.4 } }],
    measure: (bench) =>
      withService({ runs: bench.sizes.listedRuns, makesPages: true, secure }, async (service) => {
        const curl = curlOverPages(bench, service);
        const { vals, curled } = await interleaved(
          { vals: intoNothing(bench, service), curled: curl && allPages(bench, service, curl) },
          bench.rounds.bulk,
        );
        return { [what]: ratioToCurl(list, vals, curled) };
      }),
  };
}

/**
 * @param {string} what
 * @returns {Measurement}
 */
function flatMemory(what) {
  return {
    group: 'list',
    plans: [{ what, unit: 'MB', goal: { atMost: 15 } }],
    async measure(bench) {
      const { fewRuns, listedRuns } = bench.sizes;
      const few = await peakMegabytes(bench, fewRuns);
      const many = await peakMegabytes(bench, listedRuns);
      return { [what]: { figure: many - few, note: `${many.toFixed(0)} MB and ${few.toFixed(0)} MB` } };
    },
  };
}

/**
 * @param {string} what
 * @returns {Measurement}
 */
function atDelay(what) {
  return {
    group: 'list',
    // "Clearly under one page after another": at least a tenth less.
    plans: [{ what, unit: '×', goal: { atMost: 0.9 } }],
    measure: (bench) =>
      withService({ runs: bench.sizes.listedRuns, delayMs: pageDelayMs }, async (service) => {
        const { vals } = await interleaved({ vals: intoNothing(bench, service) }, bench.rounds.slow);
        const waitingMs = (bench.sizes.listedRuns / pageSize) * pageDelayMs;
        return {
          [what]: {
            figure: vals.medianMs / waitingMs,
            timings: {
              [what]: vals,
              'one after another': { medianMs: waitingMs, fastestMs: waitingMs, runs: 0 },
            },
          },
        };
      }),
  };
}

/**
 * @param {string} list
 * @param {import('./run.mjs').Timing} vals
 * @param {import('./run.mjs').Timing | undefined} curl
 */
function ratioToCurl(list, vals, curl) {
  if (curl === undefined) return { skipped: 'curl is not installed' };
  return { figure: vals.medianMs / curl.medianMs, timings: { [list]: vals, curl } };
}

/**
 * @param {Bench} bench
 * @param {Service} service
 */
const intoNothing = (bench, service) => allPages(bench, service, bench.vals(listing, settingsFor(service)));

/**
 * A client that asked for fewer pages was not fast but wrong.
 * @param {Bench} bench
 * @param {Service} service
 * @param {import('./run.mjs').Command} command
 */
const allPages = (bench, service, command) => async () => {
  await service.counts();
  const ms = await timeOf(command);
  const { requests } = await service.counts();
  const pages = bench.sizes.listedRuns / pageSize;
  if (requests < pages) throw new Error(`${requests} of ${pages} pages were asked for`);
  return ms;
};

/**
 * Through a real pipe to a reader that is faster than we are, which also tells whether all of it arrived.
 * @param {Bench} bench
 * @param {Service} service
 */
const throughPipe = (bench, service) => async () => {
  const { file, args, ...rest } = bench.vals(listing, settingsFor(service));
  const piped = { file: 'sh', args: ['-c', '"$@" | wc -l', 'sh', file, ...args], ...rest };
  const { stdout, ms } = await outputOf(piped);
  if (Number(stdout) !== bench.sizes.listedRuns)
    throw new Error(`${stdout.trim()} lines came out of the pipe`);
  return ms;
};

/**
 * @param {Bench} bench
 * @param {Service} service
 */
function curlOverPages(bench, { baseUrl }) {
  const curl = installed('curl');
  if (curl === undefined) return undefined;
  const last = bench.sizes.listedRuns - pageSize;
  const urls = `${baseUrl}/v1/me/runs?limit=${pageSize}&offset=[0-${last}:${pageSize}]`;
  return bench.other(curl, ['-sS', '--fail', '--insecure', '-H', `Authorization: Bearer ${token}`, urls]);
}

/**
 * @param {Bench} bench
 * @param {number} runs
 */
function peakMegabytes(bench, runs) {
  return withService({ runs }, async (service) => {
    const command = bench.vals(listing, settingsFor(service));
    const peaks = [];
    for (let run = 0; run < bench.rounds.bulk.runs; run += 1) peaks.push(await peakMegabytesOf(command));
    return median(peaks);
  });
}
