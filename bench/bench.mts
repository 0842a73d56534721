import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Bench, Surroundings } from './types.mts';

const program = resolve(import.meta.dirname, '../bin/vals.js');

/** A folder that is removed when the benchmark ends. */
export function createScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'vals-bench-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  return scratch;
}

export function createBench(nodePath: string, scratch: string, runs: number, quick: boolean): Bench {
  const newFolder = () => mkdtempSync(join(scratch, 'f-'));
  const home = newFolder();
  // Without NODE_EXTRA_CA_CERTS, which Node would load at each start, and without CI.
  const clean = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: home,
    VALS_CONFIG_DIR: join(home, 'config'),
    VALS_DATA_DIR: join(home, 'data'),
  };
  const node = (args: readonly string[], { env, cwd = home }: Surroundings = {}) => ({
    file: nodePath,
    args,
    env: { ...clean, ...env },
    cwd,
  });
  return {
    node,
    vals: (args, surroundings) => node([program, ...args], surroundings),
    newFolder,
    count: (full) => (quick ? Math.ceil(full / 50) : full),
    often: { runs, warmUps: quick ? 1 : 3 },
    seldom: { runs: Math.min(3, runs), warmUps: 0 },
  };
}

/** Files of about 4 KiB. Each call writes other code, because a service writes nothing for code that it has. */
export function writeFiles(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  const unique = process.hrtime.bigint();
  for (let index = 0; index < count; index += 1) {
    const lines = Array.from(
      { length: 50 },
      (_, line) =>
        `export const line${line} = 'a line of val ${index}, written at ${unique}, not too short';\n`,
    );
    writeFileSync(join(folder, `val${String(index).padStart(5, '0')}.ts`), lines.join(''));
  }
}
