import { cpus, release, totalmem, type } from 'node:os';
import { parseArgs } from 'node:util';
import { createBench, createScratch } from './bench.mts';
import { packaging } from './package.mts';
import { pages } from './pages.mts';
import { outputOf } from './processes.mts';
import { pushes } from './push.mts';
import { type Report, textOf } from './report.mts';
import { serveHttp } from './serve-http.mts';
import { sharedServices } from './shared-service.mts';
import { requests, startUp } from './start-up.mts';
import type { Measurement, Result } from './types.mts';
import { valsRun } from './vals-run.mts';
import { waits } from './waits.mts';
import { workspaces } from './workspace.mts';

const commands = [startUp, ...requests, valsRun, serveHttp, ...pushes, workspaces];
const measurements: readonly Measurement[] = [...commands, ...sharedServices, ...waits, pages, packaging];

const usage = `npm run bench -- [options]

  --only <text>   only the measurements with this text in their name
  --runs <n>      timed starts of each command (41)
  --quick         a few runs of small work, to see that the benchmark works
  --node <path>   measure with this Node too; may be repeated

Measurements: ${measurements.map(({ name }) => name).join(', ')}.
PostgreSQL is measured too if VALS_BENCH_DATABASE is the address of a server where databases may be created.`;

const options = readOptions();
if (options.help) console.log(usage);
else await main();

function readOptions() {
  try {
    return parseOptions();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      runs: { type: 'string' },
      quick: { type: 'boolean', default: false },
      node: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs ?? (values.quick ? 3 : 41));
  if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number from 1.');
  const isKnown = measurements.some(({ name }) => name.includes(values.only));
  if (!isKnown) throw new Error(`No measurement has ${values.only} in its name.`);
  return { ...values, runs };
}

async function main(): Promise<void> {
  const { runs, quick } = options;
  const scratch = createScratch();
  const nodes = [];
  for (const [index, path] of [process.execPath, ...options.node].entries()) {
    nodes.push(await measureNode(path, scratch, index === 0));
  }
  const report = { date: new Date().toISOString(), machine: describeMachine(), quick, runs, nodes };
  console.log(textOf(report));
  if (nodes.some(({ failed }) => failed.length > 0)) process.exitCode = 1;
}

async function measureNode(
  path: string,
  scratch: string,
  isFirst: boolean,
): Promise<Report['nodes'][number]> {
  const bench = createBench(path, scratch, options.runs, options.quick);
  const node = (await outputOf(bench.node(['--version']))).trim().slice(1);
  const results: Result[] = [];
  const failed: string[] = [];
  for (const { name, once, measure } of measurements) {
    if (!name.includes(options.only) || (once && !isFirst)) continue;
    console.error(`Node ${node}: ${name}`);
    try {
      results.push(...(await measure(bench)));
    } catch (error) {
      // The error names folders of this machine, so it is not part of the report.
      console.error(error);
      failed.push(name);
    }
  }
  return { node, results, failed };
}

function describeMachine(): string {
  const cores = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cores[0]?.model.trim()}, ${cores.length} cores, ${memory}, ${type()} ${release()} ${process.arch}`;
}
