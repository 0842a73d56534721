// How long it takes from the start of a command to its end, against a Node that does nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyCertificate, installed, settingsFor, token, withService } from './bench.mjs';
import { interleaved, outputOf, timeAtTerminal, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./run.mjs').Command} Command */
/** @typedef {import('./bench.mjs').Service} Service */

/**
 * @typedef {object} Start
 * @property {import('./report.mjs').LinePlan} plan
 * @property {boolean} [atTerminal]
 * @property {(bench: Bench, service: Service) => Command | Promise<Command>} command
 * @property {(bench: Bench) => void} [beforeEach]
 */

const nothing = 'node -e 0';
const nothingAtTerminal = 'node -e 0 at a terminal';

/**
 * @param {string} what
 * @param {number} atMost
 * @param {Start['command']} command
 * @param {Pick<Start, 'atTerminal' | 'beforeEach'>} [more]
 * @returns {Start}
 */
const start = (what, atMost, command, more) => ({
  plan: { what, unit: '×', goal: { atMost } },
  command,
  ...more,
});

const starts = [
  start('vals --version', 1.05, (bench) => bench.vals(['--version'])),
  start('vals', 1.1, (bench) => bench.vals([])),
  start('vals --help', 1.1, (bench) => bench.vals(['--help'])),
  start('vals push --help', 1.5, (bench) => bench.vals(['push', '--help'])),
  start('vals me --json', 2.9, (bench, service) => bench.vals(['me', '--json'], settingsFor(service))),
  start('vals me --json, signed in', 3.1, signedIn),
  start('vals runs at a terminal', 3.5, (bench, service) => bench.vals(['runs'], settingsFor(service)), {
    atTerminal: true,
  }),
  start('vals push --local of 1 file', 4, (bench) => bench.vals(['push', '--local', pushedFile(bench)]), {
    beforeEach: editPushedFile,
  }),
];

const peers = ['gh', 'vercel', 'wrangler', 'npm', 'curl'].map((name) => ({
  name,
  plan: { what: `${name} --version`, unit: /** @type {const} */ ('×'), once: true },
}));

/** @type {import('./report.mjs').Measurement} */
export const startUp = {
  group: 'start',
  plans: [...starts, ...peers].map(({ plan }) => plan),
  measure: (bench, wanted) => withService({ runs: 100 }, (service) => measure(bench, wanted, service)),
};

/**
 * One request, against the same one of a bare one-liner.
 * @param {boolean} secure
 * @param {import('./report.mjs').LinePlan['goal']} goal
 * @returns {import('./report.mjs').Measurement}
 */
function oneRequest(secure, goal) {
  const module = secure ? 'node:https' : 'node:http';
  const ours = `vals me --json${secure ? ' over TLS' : ''}, to ${module}`;
  const curls = `curl${secure ? ' over TLS' : ''}, to ${module}`;
  return {
    group: 'request',
    plans: [
      { what: ours, unit: '×', goal },
      { what: curls, unit: '×', once: true },
    ],
    measure: (bench) =>
      withService({ secure }, async (service) => {
        const url = `${service.baseUrl}/v1/me`;
        const vals = bench.vals(['me', '--json'], settingsFor(service));
        const script = `require('${module}').get('${url}', (answer) => {
          let text = '';
          answer.on('data', (chunk) => { text += chunk; }).on('end', () => console.log(JSON.parse(text)));
        })`;
        const bare = bench.node(['-e', script], anyCertificate);
        const curl = installed('curl');
        for (const command of [vals, bare]) await mustPrint(command);
        const timings = await interleaved(
          {
            vals: () => timeOf(vals),
            bare: () => timeOf(bare),
            curl:
              curl === undefined
                ? undefined
                : () => timeOf(bench.other(curl, ['-sS', '--fail', '--insecure', url])),
          },
          bench.rounds.start,
        );
        const ratio = (/** @type {string} */ what, /** @type {import('./run.mjs').Timing} */ timing) => ({
          figure: timing.medianMs / timings.bare.medianMs,
          timings: { [what]: timing, [module]: timings.bare },
        });
        return {
          [ours]: ratio(ours, timings.vals),
          [curls]: timings.curl ? ratio(curls, timings.curl) : { skipped: 'curl is not installed' },
        };
      }),
  };
}

export const requests = [
  oneRequest(false, { atMost: 1.45 }),
  oneRequest(true, (major) => ({ atMost: major === 20 ? 1.15 : 1.25 })),
];

/**
 * @param {Bench} bench
 * @param {ReadonlySet<string>} wanted
 * @param {Service} service
 */
async function measure(bench, wanted, service) {
  const doNothing = () => timeOf(bench.node(['-e', '0']));
  return {
    ...(await measureOurs(bench, wanted, service, doNothing)),
    ...(await measurePeers(bench, wanted, doNothing)),
  };
}

/**
 * @param {Bench} bench
 * @param {ReadonlySet<string>} wanted
 * @param {Service} service
 * @param {() => Promise<number>} doNothing
 */
async function measureOurs(bench, wanted, service, doNothing) {
  const ours = starts.filter(({ plan }) => wanted.has(plan.what));
  if (ours.length === 0) return {};
  /** @type {Record<string, () => Promise<number>>} */
  const timed = { [nothing]: doNothing };
  if (ours.some(({ atTerminal }) => atTerminal)) {
    timed[nothingAtTerminal] = () => timeAtTerminal(bench.node(['-e', '0']));
  }
  for (const { plan, command: describe, atTerminal, beforeEach } of ours) {
    beforeEach?.(bench);
    const command = await describe(bench, service);
    await mustPrint(command);
    timed[plan.what] = () => {
      beforeEach?.(bench);
      return atTerminal ? timeAtTerminal(command) : timeOf(command);
    };
  }
  return findings(ours, await interleaved(timed, bench.rounds.start));
}

/**
 * Less often, because they take so much longer, and what they show needs no second digit.
 * @param {Bench} bench
 * @param {ReadonlySet<string>} wanted
 * @param {() => Promise<number>} doNothing
 */
async function measurePeers(bench, wanted, doNothing) {
  const theirs = peers.filter(({ plan }) => wanted.has(plan.what));
  if (theirs.length === 0) return {};
  /** @type {Record<string, () => Promise<number>>} */
  const timed = { [nothing]: doNothing };
  for (const { name, plan } of theirs) {
    const file = installed(name);
    if (file === undefined) continue;
    const command = bench.other(file, ['--version']);
    await mustPrint(command);
    timed[plan.what] = () => timeOf(command);
  }
  return findings(theirs, await interleaved(timed, bench.rounds.bulk));
}

/**
 * @param {readonly Pick<Start, 'plan' | 'atTerminal'>[]} measured
 * @param {Record<string, import('./run.mjs').Timing>} timings
 * @returns {import('./report.mjs').Findings}
 */
function findings(measured, timings) {
  return Object.fromEntries(
    measured.map(({ plan: { what }, atTerminal }) => {
      const timing = timings[what];
      if (timing === undefined) return [what, { skipped: 'not installed' }];
      const ratioTo = (/** @type {string} */ name) =>
        timing.medianMs / (timings[name]?.medianMs ?? Number.NaN);
      const base = atTerminal ? nothingAtTerminal : nothing;
      const note = atTerminal
        ? `${ratioTo(nothing).toFixed(2)} × of node -e 0 without a terminal`
        : undefined;
      return [
        what,
        {
          figure: ratioTo(base),
          timings: { [what]: timing, [base]: timings[base] },
          ...(note !== undefined && { note }),
        },
      ];
    }),
  );
}

/** @param {Command} command a start that failed early must not pass for a fast one */
async function mustPrint(command) {
  const { stdout } = await outputOf(command);
  if (stdout === '') throw new Error(`${[command.file, ...command.args].join(' ')} printed nothing`);
}

/**
 * @param {Bench} bench
 * @param {Service} service
 */
async function signedIn(bench, { baseUrl }) {
  const stored = { VALS_CONFIG_DIR: bench.scratch.subfolder('config-signed-in') };
  const login = bench.vals(['login', '--with-token', '--base-url', baseUrl], stored);
  await outputOf({ ...login, input: `${token}\n` });
  return bench.vals(['me', '--json'], stored);
}

/** @param {Bench} bench */
const pushedFile = ({ scratch }) => join(scratch.subfolder('one-file'), 'hello.ts');

let edits = 0;

/** @param {Bench} bench the same code again would be nothing to write for the service */
function editPushedFile(bench) {
  edits += 1;
  writeFileSync(
    pushedFile(bench),
    `export const hello = () => 'hello ${process.hrtime.bigint()} ${edits}';\n`,
  );
}
