import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyCertificate, findInPath, settingsFor, withService } from './bench.mjs';
import { interleaved, outputOf, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./bench.mjs').Service} Service */
/** @typedef {import('./run.mjs').Command} Command */

const nothing = 'node -e 0';
const push = 'vals push --local of 1 file';

/** @type {Record<string, { atMost: number, command(bench: Bench, service: Service): Command }>} */
const starts = {
  'vals --version': { atMost: 1.1, command: (bench) => bench.vals(['--version']) },
  'vals --help': { atMost: 1.15, command: (bench) => bench.vals(['--help']) },
  'vals me --json': {
    atMost: 3,
    command: (bench, service) => bench.vals(['me', '--json'], settingsFor(service)),
  },
  [push]: { atMost: 5, command: (bench) => bench.vals(['push', '--local', pushedFile(bench)]) },
};

const peers = Object.fromEntries(
  ['gh', 'vercel', 'wrangler', 'npm', 'curl'].map((name) => [`${name} --version`, name]),
);

/** @type {import('./report.mjs').Measurement} */
export const startUp = {
  group: 'start',
  plans: [
    ...Object.entries(starts).map(([what, { atMost }]) => ({
      what,
      unit: /** @type {const} */ ('×'),
      goal: { atMost },
    })),
    ...Object.keys(peers).map((what) => ({ what, unit: /** @type {const} */ ('×'), once: true })),
  ],
  measure: (bench, wanted) =>
    withService({}, async (service) => ({
      ...(await measureOurs(bench, wanted, service)),
      ...(await measurePeers(bench, wanted)),
    })),
};

/**
 * @param {Bench} bench
 * @param {ReadonlySet<string>} wanted
 * @param {Service} service
 */
async function measureOurs(bench, wanted, service) {
  /** @type {Record<string, () => Promise<number>>} */
  const timed = {};
  for (const [what, { command }] of Object.entries(starts)) {
    if (!wanted.has(what)) continue;
    // The service writes nothing if the code did not change, so each push needs new code.
    const prepare = () => what === push && editPushedFile(bench);
    prepare();
    await mustPrint(command(bench, service));
    timed[what] = () => {
      prepare();
      return timeOf(command(bench, service));
    };
  }
  return ratios(bench, timed, bench.rounds.start);
}

/**
 * @param {Bench} bench
 * @param {ReadonlySet<string>} wanted
 * @returns {Promise<import('./report.mjs').Findings>}
 */
async function measurePeers(bench, wanted) {
  /** @type {Record<string, () => Promise<number>>} */
  const timed = {};
  /** @type {import('./report.mjs').Findings} */
  const missing = {};
  for (const [what, name] of Object.entries(peers)) {
    const file = findInPath(name);
    if (!wanted.has(what)) continue;
    if (file === undefined) missing[what] = { skipped: 'not installed' };
    else timed[what] = () => timeOf(bench.other(file, ['--version']));
  }
  return { ...missing, ...(await ratios(bench, timed, bench.rounds.bulk)) };
}

/**
 * @param {Bench} bench
 * @param {Record<string, () => Promise<number>>} timed
 * @param {{ runs: number, warmUps: number }} rounds
 * @returns {Promise<import('./report.mjs').Findings>}
 */
async function ratios(bench, timed, rounds) {
  if (Object.keys(timed).length === 0) return {};
  const doNothing = () => timeOf(bench.node(['-e', '0']));
  const { [nothing]: base, ...timings } = await interleaved({ ...timed, [nothing]: doNothing }, rounds);
  if (base === undefined) return {};
  const entries = Object.entries(timings).flatMap(([what, timing]) =>
    timing
      ? [[what, { figure: timing.medianMs / base.medianMs, timings: { [what]: timing, [nothing]: base } }]]
      : [],
  );
  return Object.fromEntries(entries);
}

/**
 * @param {'node:http' | 'node:https'} module
 * @param {number} atMost
 * @returns {import('./report.mjs').Measurement}
 */
function oneRequest(module, atMost) {
  const secure = module === 'node:https';
  const what = `vals me --json${secure ? ' over TLS' : ''}, to ${module}`;
  return {
    group: 'request',
    plans: [{ what, unit: '×', goal: { atMost } }],
    measure: (bench) =>
      withService({ secure }, async (service) => {
        const vals = bench.vals(['me', '--json'], settingsFor(service));
        const script = `require('${module}').get('${service.baseUrl}/v1/me', (answer) => {
          let text = '';
          answer.on('data', (chunk) => { text += chunk; }).on('end', () => console.log(JSON.parse(text)));
        })`;
        const bare = bench.node(['-e', script], anyCertificate);
        for (const command of [vals, bare]) await mustPrint(command);
        const timings = await interleaved(
          { vals: () => timeOf(vals), bare: () => timeOf(bare) },
          bench.rounds.start,
        );
        return {
          [what]: {
            figure: timings.vals.medianMs / timings.bare.medianMs,
            timings: { [what]: timings.vals, [module]: timings.bare },
          },
        };
      }),
  };
}

export const requests = [oneRequest('node:http', 2), oneRequest('node:https', 1.5)];

/**
 * A command that fails early would look fast.
 * @param {Command} command
 */
async function mustPrint(command) {
  const { stdout } = await outputOf(command);
  if (stdout === '') throw new Error(`${[command.file, ...command.args].join(' ')} printed nothing`);
}

/** @param {Bench} bench */
const pushedFile = ({ scratch }) => join(scratch.subfolder('one-file'), 'hello.ts');

/** @param {Bench} bench */
const editPushedFile = (bench) =>
  writeFileSync(pushedFile(bench), `export const hello = () => 'hello ${process.hrtime.bigint()}';\n`);
