// The command line of the benchmark.
import { parseArgs } from 'node:util';

/** @typedef {ReturnType<typeof parseOptions>} Options */

export const usage = `npm run bench -- [options]

  --only <text>   only the lines whose name holds this text
  --runs <n>      timed runs of each start (101); bulk work and other programs run a tenth as often
  --quick         few runs of small work: does it run, not how fast
  --node <path>   measure with this Node too; may be repeated
  --json          print one JSON document instead of the table
  --save          keep the figures in bench/results.json, and draw docs/bench.svg and docs/performance.md from them`;

/** @param {readonly string[]} argv */
export function parseOptions(argv) {
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
  const runs = Number(values.runs ?? (values.quick ? 3 : 101));
  if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number from 1.');
  return { ...values, runs };
}
