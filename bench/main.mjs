import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createBench, createScratch, sizesOf } from './bench.mjs';
import { chartOf } from './chart.mjs';
import { growth } from './growth.mjs';
import { lists } from './list.mjs';
import { packaging } from './package.mjs';
import { pushes } from './push.mjs';
import { lineOf, markdownReportOf, reportOf } from './report.mjs';
import { requests, startUp } from './start-up.mjs';
import { workspaces } from './workspace.mjs';

const usage = `npm run bench -- [options]

  --only <text>   only the lines whose name contains this text
  --runs <n>      timed runs of each start (41); long lists and other programs get a tenth of them
  --quick         a few runs of small work, to see that the benchmark works
  --node <path>   measure with this Node too; may be repeated
  --json          print one JSON document instead of the table
  --save          write the table into docs/performance.md, and the chart into docs/bench.svg`;

/**
 * @typedef {object} Results
 * @property {string} date
 * @property {import('./main.mjs').Machine} machine
 * @property {boolean} quick
 * @property {number} runs
 * @property {import('./report.mjs').Line[]} lines
 */

/** @typedef {ReturnType<typeof describeMachine>} Machine */

const options = readOptions();
if (options.help) console.log(usage);
else await main();

function readOptions() {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${usage}`);
    process.exit(2);
  }
}

async function main() {
  const { runs, quick } = options;
  const lines = await measureAll();
  /** @type {Results} */
  const results = { date: new Date().toISOString(), machine: describeMachine(), quick, runs, lines };
  console.log(options.json ? JSON.stringify(results, undefined, 2) : reportOf(results));
  if (options.save) publish(results);
  if (lines.some(({ failed }) => failed !== undefined)) process.exitCode = 1;
}

/** @param {Results} results */
function publish(results) {
  const docs = resolve(import.meta.dirname, '../docs');
  const page = readFileSync(resolve(docs, 'performance.md'), 'utf8');
  const figures = /(?<=<!-- figures -->\n).*(?=<!-- end of figures -->)/s;
  writeFileSync(
    resolve(docs, 'performance.md'),
    page.replace(figures, () => `\n${markdownReportOf(results)}\n\n`),
  );
  writeFileSync(resolve(docs, 'bench.svg'), chartOf(results));
}

async function measureAll() {
  const scratch = createScratch();
  const lines = [];
  for (const [index, node] of [process.execPath, ...options.node].entries()) {
    const bench = await createBench(node, scratch, options);
    for (const measurement of measurements()) {
      lines.push(...(await linesOf(measurement, bench, index === 0)));
    }
  }
  return lines;
}

/**
 * @param {import('./report.mjs').Measurement} measurement
 * @param {import('./bench.mjs').Bench} bench
 * @param {boolean} isFirstNode
 */
async function linesOf({ group, plans, measure }, bench, isFirstNode) {
  const wanted = plans.filter(({ what, once }) => what.includes(options.only) && (isFirstNode || !once));
  if (wanted.length === 0) return [];
  process.stderr.write(`Node ${bench.nodeVersion}: ${wanted.map(({ what }) => what).join('; ')}\n`);
  const names = new Set(wanted.map(({ what }) => what));
  const findings = await measure(bench, names).catch((error) => {
    // The message contains folders and hosts of this machine, so it is not published.
    process.stderr.write(`${error.message}\n`);
    return /** @type {import('./report.mjs').Findings} */ ({});
  });
  return wanted.map((plan) => {
    // With --quick, the work is so small that start-up takes most of the time. So the goals do not apply.
    const { goal, ...withoutGoal } = plan;
    return lineOf(
      group,
      bench.nodeVersion,
      options.quick ? withoutGoal : plan,
      findings[plan.what] ?? { failed: 'it could not be measured' },
    );
  });
}

function measurements() {
  const sizes = sizesOf(options);
  return [
    startUp,
    ...requests,
    ...pushes(sizes),
    ...workspaces(sizes),
    ...lists(sizes),
    ...growth(sizes),
    packaging,
  ];
}

/** @param {readonly string[]} argv */
function parseOptions(argv) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string', default: '' },
      runs: { type: 'string' },
      quick: { type: 'boolean', default: false },
      node: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs ?? (values.quick ? 3 : 41));
  if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number from 1.');
  return { ...values, runs };
}

function describeMachine() {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()} ${process.arch}`,
  };
}
