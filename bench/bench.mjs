// What every measurement works with: a Node, the built program, a scratch folder, and how much of everything.
import { resolve } from 'node:path';
import { outputOf } from './run.mjs';

/** @typedef {import('./run.mjs').Command} Command */
/** @typedef {Awaited<ReturnType<typeof createBench>>} Bench */
/** @typedef {ReturnType<typeof sizesOf>} Sizes */

const program = resolve(import.meta.dirname, '../bin/vals.js');
export const token = 'bench-token-1f0c9a7e';

/** @param {{ quick: boolean }} options */
export function sizesOf({ quick }) {
  return quick
    ? { files: 40, fewVals: 5, manyVals: 20, mostVals: 50, listedRuns: 5_000, fewRuns: 1_000 }
    : { files: 1_000, fewVals: 500, manyVals: 5_000, mostVals: 10_000, listedRuns: 200_000, fewRuns: 10_000 };
}

/**
 * @param {string} node the path of the Node that runs vals
 * @param {import('./scratch.mjs').Scratch} scratch
 * @param {{ runs: number, quick: boolean }} options
 */
export async function createBench(node, scratch, options) {
  const cwd = scratch.subfolder('work');
  const env = scratch.environment();
  const { stdout } = await outputOf({ file: node, args: ['--version'], env, cwd });
  return {
    nodeVersion: stdout.trim(),
    scratch,
    sizes: sizesOf(options),
    rounds: {
      start: { runs: options.runs, warmUps: options.quick ? 1 : 3 },
      bulk: { runs: Math.ceil(options.runs / 10), warmUps: options.quick ? 0 : 1 },
      /** For what takes many seconds, most of them waiting. */
      slow: { runs: Math.min(3, options.runs), warmUps: 0 },
    },
    /**
     * @param {readonly string[]} args
     * @param {Record<string, string>} [more] of the environment
     * @returns {Command}
     */
    node: (args, more) => ({ file: node, args, env: { ...env, ...more }, cwd }),
    /**
     * @param {readonly string[]} args
     * @param {Record<string, string>} [more] of the environment
     * @returns {Command}
     */
    vals: (args, more) => ({ file: node, args: [program, ...args], env: { ...env, ...more }, cwd }),
    /**
     * @param {string} file
     * @param {readonly string[]} args
     * @returns {Command}
     */
    other: (file, args) => ({ file, args, env, cwd }),
  };
}

/** @param {import('./service/start.mjs').Service} service */
export const settingsFor = ({ baseUrl }) => ({ VALS_BASE_URL: baseUrl, VALS_TOKEN: token });
