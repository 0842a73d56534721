import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { interleaved, outputOf, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */

const root = resolve(import.meta.dirname, '..');

const size = 'npm pack';
const time = 'npm i -g of the tarball, nothing cached';

/** @type {import('./report.mjs').Measurement} */
export const packaging = {
  group: 'package',
  plans: [
    { what: size, unit: 'kB', goal: { atMost: 2_000 }, once: true },
    { what: time, unit: 's', goal: { atMost: 5 }, once: true },
  ],
  async measure(bench, wanted) {
    const { path, kilobytes, dependencies } = await pack(bench);
    const packed = { [size]: { figure: kilobytes } };
    if (!wanted.has(time)) return packed;
    if (!(await reachesRegistry(bench, dependencies))) {
      return { ...packed, [time]: { skipped: 'the registry cannot be reached' } };
    }
    rmSync(cacheOf(bench), { recursive: true });
    // npm looks for its global settings below the prefix. So with another prefix, npm needs the path of the settings.
    const settings = (await outputOf(npm(bench, ['config', 'get', 'globalconfig']))).stdout.trim();
    const install = async () => {
      const prefix = bench.scratch.subfolder('prefix');
      const args = ['install', '--global', '--prefix', prefix, '--globalconfig', settings, path];
      const ms = await timeOf(npm(bench, args));
      rmSync(prefix, { recursive: true });
      rmSync(cacheOf(bench), { recursive: true });
      return ms;
    };
    const { installing } = await interleaved({ installing: install }, bench.rounds.slow);
    return {
      ...packed,
      [time]: { figure: installing.medianMs / 1_000, timings: { [time]: installing } },
    };
  },
};

/** @param {Bench} bench */
async function pack(bench) {
  const destination = bench.scratch.subfolder('packed');
  const args = ['pack', root, '--ignore-scripts', '--json', '--pack-destination', destination];
  const [{ filename, size: bytes }] = JSON.parse((await outputOf(npm(bench, args))).stdout);
  const manifest = await outputOf(npm(bench, ['pkg', 'get', 'dependencies', '--prefix', root]));
  return {
    path: join(destination, filename),
    kilobytes: bytes / 1_000,
    dependencies: Object.keys(JSON.parse(manifest.stdout)),
  };
}

/**
 * @param {Bench} bench
 * @param {readonly string[]} dependencies
 */
async function reachesRegistry(bench, dependencies) {
  const args = ['view', ...dependencies.slice(0, 1), 'version'];
  return outputOf(npm(bench, args)).then(
    () => true,
    () => false,
  );
}

/**
 * `reachesRegistry` needs a new cache, because npm would otherwise answer from its usual cache without the registry.
 * @param {Bench} bench
 */
const cacheOf = ({ scratch }) => scratch.subfolder('npm-cache');

/**
 * Without a registry, retries would take minutes.
 * @param {Bench} bench
 * @param {readonly string[]} args
 */
function npm(bench, args) {
  const { cwd } = bench.other('npm', []);
  const env = /** @type {Record<string, string>} */ ({ ...process.env });
  const always = ['--no-audit', '--no-update-notifier', '--fetch-retries=0', '--fetch-timeout=10000'];
  return { file: 'npm', args: [...args, ...always, '--cache', cacheOf(bench)], env, cwd };
}
