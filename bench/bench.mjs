import { fork } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { outputOf } from './run.mjs';

/** @typedef {import('./run.mjs').Command} Command */
/** @typedef {Awaited<ReturnType<typeof createBench>>} Bench */
/** @typedef {ReturnType<typeof sizesOf>} Sizes */

const program = resolve(import.meta.dirname, '../bin/vals.js');
const token = 'bench-token-1f0c9a7e';

/** @param {{ quick: boolean }} options */
export function sizesOf({ quick }) {
  return quick
    ? {
        files: 40,
        fewVals: 5,
        manyVals: 20,
        mostVals: 50,
        listedRuns: 5_000,
        fewRuns: 1_000,
        servedRuns: 20_000,
        servedVals: 2_000,
      }
    : {
        files: 1_000,
        fewVals: 500,
        manyVals: 5_000,
        mostVals: 10_000,
        listedRuns: 200_000,
        fewRuns: 10_000,
        servedRuns: 1_000_000,
        servedVals: 100_000,
      };
}

/**
 * @param {string} nodePath
 * @param {import('./bench.mjs').Scratch} scratch
 * @param {{ runs: number, quick: boolean }} options
 */
export async function createBench(nodePath, scratch, options) {
  const cwd = scratch.subfolder('work');
  const env = scratch.environment();
  const { stdout } = await outputOf({ file: nodePath, args: ['--version'], env, cwd });
  return {
    nodeVersion: stdout.trim(),
    scratch,
    sizes: sizesOf(options),
    rounds: {
      start: { runs: options.runs, warmUps: options.quick ? 1 : 3 },
      bulk: { runs: Math.ceil(options.runs / 10), warmUps: options.quick ? 0 : 1 },
      slow: { runs: Math.min(3, options.runs), warmUps: 0 },
    },
    /**
     * @param {readonly string[]} args
     * @param {Record<string, string>} [moreEnv]
     * @returns {Command}
     */
    node: (args, moreEnv) => ({ file: nodePath, args, env: { ...env, ...moreEnv }, cwd }),
    /**
     * @param {readonly string[]} args
     * @param {Record<string, string>} [moreEnv]
     * @returns {Command}
     */
    vals: (args, moreEnv) => ({ file: nodePath, args: [program, ...args], env: { ...env, ...moreEnv }, cwd }),
    /**
     * @param {string} file
     * @param {readonly string[]} args
     * @returns {Command}
     */
    other: (file, args) => ({ file, args, env, cwd }),
  };
}

/** @param {import('./bench.mjs').Service} service */
export const settingsFor = ({ baseUrl }) => ({
  VALS_BASE_URL: baseUrl,
  VALS_TOKEN: token,
  ...(baseUrl.startsWith('https:') && anyCertificate),
});

/**
 * The service has a self-signed certificate. With NODE_EXTRA_CA_CERTS, Node would accept it too, but
 * Node 20 would need 70 ms more.
 */
export const anyCertificate = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };

/** @typedef {ReturnType<typeof createScratch>} Scratch */

export function createScratch() {
  const folder = mkdtempSync(join(tmpdir(), 'vals-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));

  /** @param {string} name */
  const subfolder = (name) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  return {
    folder,
    subfolder,
    /**
     * @param {Record<string, string>} [more]
     * @returns {Record<string, string>}
     */
    environment: (more = {}) => ({
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      HOME: subfolder('home'),
      VALS_CONFIG_DIR: subfolder('config'),
      VALS_DATA_DIR: subfolder('data'),
      // Other programs must not look for updates while their start is measured.
      NO_UPDATE_NOTIFIER: '1',
      ...more,
    }),
  };
}

/**
 * @param {string} folder
 * @param {number} count
 */
export function writeVals(folder, count) {
  for (let index = 0; index < count; index += 1) {
    const name = `val${String(index).padStart(5, '0')}`;
    const line = `export const line = 'a line of the code of ${name}, as long as lines of code are';\n`;
    writeFileSync(join(folder, `${name}.ts`), line.repeat(Math.ceil(4096 / line.length)).slice(0, 4096));
  }
}

/** @param {string} name */
export function findInPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * @typedef {object} ServiceOptions
 * @property {number} [delayMs]
 * @property {number} [runs]
 * @property {boolean} [secure]
 * @property {number} [mostAtATime] the service answers further requests with 429
 */

/**
 * @typedef {object} Counts since the last call of `counts`
 * @property {number} connections
 * @property {number} requests
 * @property {number} vals
 * @property {number} heldMs the sum of all delays
 * @property {number} refused
 */

/**
 * @typedef {object} Service
 * @property {string} baseUrl
 * @property {() => Promise<Counts>} counts
 * @property {() => Promise<void>} stop
 */

/**
 * @param {ServiceOptions} [options]
 * @returns {Promise<Service>}
 */
async function startService(options = {}) {
  const settings = JSON.stringify({ delayMs: 0, runs: 0, secure: false, ...options });
  const server = fork(resolve(import.meta.dirname, 'service.mjs'), [settings], { execArgv: [] });
  const ended = once(server, 'exit');
  const endedEarly = ended.then(() => Promise.reject(new Error('the measured service ended early')));
  endedEarly.catch(() => {});

  const message = async () => (await Promise.race([once(server, 'message'), endedEarly]))[0];
  const { baseUrl } = await message();
  return {
    baseUrl,
    counts() {
      server.send('counts');
      return message();
    },
    async stop() {
      if (server.connected) server.disconnect();
      await ended;
    },
  };
}

/**
 * @template Result
 * @param {ServiceOptions} options
 * @param {(service: Service) => Promise<Result>} use
 */
export async function withService(options, use) {
  const service = await startService(options);
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}
