// Deletes a feature in a copy of this checkout, and checks that the rest builds and works:
//   node test/delete-features.mjs <feature> [arguments for vitest]
// A feature is its folder in src, its tests (what they need of vitest stands there, too), and two lines of src/features.ts.
// Three things are left out of the copy, because each is about all features: texts that are generated from all commands,
// journeys across features, and the benchmark. A test that needs another feature says so (`has` in test/support/features.ts).
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';

/** The test that compares docs/reference.md with the help of all commands, and the help on a screen, which is then written anew. */
const generatedFromAll = ['test/core/command-line/reference.test.ts', 'test/screens/captures/help.txt'];
const acrossFeatures = ['test/journeys', 'test/delete-features.test.ts', 'bench'];

const [feature = '', ...vitestArgs] = process.argv.slice(2);
const { stdout: listed } = await execa('git', [
  'ls-files',
  '-z',
  '--cached',
  '--others',
  '--exclude-standard',
]);
const copy = mkdtempSync(join(tmpdir(), 'vals-without-'));
try {
  copyFiles();
  removeLines();
  await run('node', ['esbuild.config.mjs']);
  await run('npx', ['--no', 'tsc']);
  await run('npx', ['--no', 'vitest', 'run', ...vitestArgs]);
} catch (error) {
  console.error(error instanceof Error ? error.message.split('\n')[0] : error);
  process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true });
}

function copyFiles() {
  const left = [`src/${feature}`, `test/${feature}`, ...generatedFromAll, ...acrossFeatures];
  for (const file of listed.split('\0').filter((name) => name !== '')) {
    if (left.some((path) => file === path || file.startsWith(`${path}/`))) continue;
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(file, join(copy, file), { verbatimSymlinks: true });
  }
  // A test starts the program as a user whom the system does not know.
  chmodSync(copy, 0o755);
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
}

function removeLines() {
  const file = join(copy, 'src/features.ts');
  const lines = readFileSync(file, 'utf8').split('\n');
  const without = lines
    .filter((line) => !line.includes(`'./${feature}/feature.ts'`))
    .map((line) => (line.startsWith('export const features') ? withoutName(line) : line));
  if (without.length !== lines.length - 1) throw new Error(`There is no feature ${feature}.`);
  writeFileSync(file, without.join('\n'));
}

/** @param {string} line */
function withoutName(line) {
  const [, names = ''] = / = \[(.*)\]/.exec(line) ?? [];
  const others = names.split(', ').filter((name) => name !== feature);
  return line.replace(names, others.join(', '));
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function run(program, args) {
  const env = { ...process.env, VALS_TEST_LONG: undefined, CI: undefined };
  await execa(program, args, { cwd: copy, env, stdio: ['ignore', 'inherit', 'inherit'] });
}
