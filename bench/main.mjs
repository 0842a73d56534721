// Measures what is asked for and reports it. Ends with 1 only where a measurement failed, not for a goal missed.
import { createBench, sizesOf } from './bench.mjs';
import { lineOf } from './lines.mjs';
import { describeMachine } from './machine.mjs';
import { measurements } from './measurements/index.mjs';
import { parseOptions, usage } from './options.mjs';
import { publish } from './publish.mjs';
import { reportOf } from './report.mjs';
import { createScratch } from './scratch.mjs';

/**
 * @typedef {object} Results
 * @property {string} date
 * @property {import('./machine.mjs').Machine} machine
 * @property {boolean} quick
 * @property {number} runs
 * @property {import('./lines.mjs').Line[]} lines
 */

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

async function measureAll() {
  const scratch = createScratch();
  const lines = [];
  for (const [index, node] of [process.execPath, ...options.node].entries()) {
    const bench = await createBench(node, scratch, options);
    for (const measurement of measurements(sizesOf(options))) {
      lines.push(...(await linesOf(measurement, bench, index === 0)));
    }
  }
  return lines;
}

/**
 * @param {import('./lines.mjs').Measurement} measurement
 * @param {import('./bench.mjs').Bench} bench
 * @param {boolean} isFirst of the Nodes
 */
async function linesOf({ group, plans, measure }, bench, isFirst) {
  const wanted = plans.filter(({ what, once }) => what.includes(options.only) && (isFirst || !once));
  if (wanted.length === 0) return [];
  process.stderr.write(`Node ${bench.nodeVersion}: ${wanted.map(({ what }) => what).join('; ')}\n`);
  const names = new Set(wanted.map(({ what }) => what));
  let failed = 'nothing was found out';
  const findings = await measure(bench, names).catch((error) => {
    failed = error.message;
    return /** @type {import('./lines.mjs').Findings} */ ({});
  });
  return wanted.map((plan) => {
    // Small work is all start-up: held against goals for large work, it would mislead.
    const { goal, ...withoutGoal } = plan;
    return lineOf(
      group,
      bench.nodeVersion,
      options.quick ? withoutGoal : plan,
      findings[plan.what] ?? { failed },
    );
  });
}
