import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from './bench.mts';
import { compare } from './compare.mts';
import { timed, timeOf } from './processes.mts';
import type { Bench, Measurement, Sample } from './types.mts';

export const workspaces: Measurement = {
  name: 'workspace',
  async measure(bench) {
    const pushed = await makeWorkspace(bench, size);
    await timeOf(bench.vals(['push'], pushed));
    const plain = plainPush(bench, size);
    const first = firstPush(bench, size);
    const unchanged = ['status', 'push', 'pull'].map((command) => ({
      what: timed(`vals ${command} of 1,500 unchanged vals`, bench.vals([command], pushed)),
      to: plain,
      atMost: 0.4,
    }));
    return compare(bench.seldom, [
      { what: first, to: plain, atMost: 1.5 },
      { what: first, to: firstPush(bench, size / 10), atMost: 12.5 },
      ...unchanged,
      { what: await freshCheckout(bench, size), to: plain, atMost: 0.3 },
    ]);
  },
};

const size = 1_500;

const plainPush = (bench: Bench, files: number): Sample => ({
  name: `vals push of ${files.toLocaleString('en')} new files outside a workspace`,
  take: () => timeOf(bench.vals(['push', '.'], makeFiles(bench, files))),
});

/** A folder without records, as after `git clone`. */
async function freshCheckout(bench: Bench, files: number): Promise<Sample> {
  const place = await makeWorkspace(bench, files);
  await timeOf(bench.vals(['push'], place));
  return {
    name: `vals status in a fresh checkout of ${files.toLocaleString('en')} unchanged vals`,
    take() {
      rmSync(join(place.env.VALS_DATA_DIR, 'workspaces'), { recursive: true, force: true });
      return timeOf(bench.vals(['status'], place));
    },
  };
}

const firstPush = (bench: Bench, files: number): Sample => ({
  name: `vals push of ${files.toLocaleString('en')} new files in a workspace`,
  take: async () => timeOf(bench.vals(['push'], await makeWorkspace(bench, files))),
});

async function makeWorkspace(bench: Bench, files: number) {
  const place = makeFiles(bench, files);
  await timeOf(bench.vals(['init'], place));
  return place;
}

/** Files, and an embedded service of their own. */
function makeFiles(bench: Bench, files: number) {
  const top = bench.newFolder();
  const cwd = join(top, 'files');
  writeFiles(cwd, bench.count(files));
  return { cwd, env: { VALS_LOCAL: '1', VALS_DATA_DIR: join(top, 'data') } };
}
