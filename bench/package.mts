import { join, resolve } from 'node:path';
import { compare } from './compare.mts';
import { outputOf, timeOf } from './processes.mts';
import type { Bench, Command, Measurement } from './types.mts';

const root = resolve(import.meta.dirname, '..');

export const packaging: Measurement = {
  name: 'package',
  once: true,
  async measure(bench) {
    const destination = bench.newFolder();
    const packing = ['pack', root, '--ignore-scripts', '--json', '--pack-destination', destination];
    const [{ filename }] = JSON.parse(await outputOf(npm(bench, packing)));
    const what = {
      name: 'npm install of vals, nothing cached',
      async take() {
        const install = ['install', '--prefix', bench.newFolder(), join(destination, filename)];
        return (await timeOf(npm(bench, install))) / 1_000;
      },
    };
    return compare(bench.seldom, [{ what, unit: 's', atMost: 5 }]);
  },
};

/** With an empty cache, and with the settings of this machine, which know the registry. */
const npm = (bench: Bench, args: readonly string[]): Command => ({
  file: 'npm',
  args: [...args, '--no-audit', '--no-update-notifier', '--fetch-retries=0', '--cache', bench.newFolder()],
  env: process.env,
  cwd: bench.newFolder(),
});
