// Builds dist/: the program in one CommonJS file, rare libraries beside it, and what can be made before it runs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { checkCuts, cuts, librariesApart, mends, serviceCuts, withCommandsOf } from './esbuild.plugins.mjs';

// What is built can be changed by its owner alone: the program keeps no compiled code where others could change it.
process.umask(0o022);

const { version } = JSON.parse(await readFile('package.json', 'utf8'));

const options = {
  bundle: true,
  write: false,
  // An ES module as the entry costs Node 20 some 7 ms at each start.
  format: 'cjs',
  platform: 'node',
  target: 'node20.18',
  supported: { 'dynamic-import': false },
  minify: true,
  legalComments: 'none',
  external: ['libsql', 'pg-native'],
  plugins: mends,
  define: { VERSION: JSON.stringify(version) },
};
/** With fewer commands, and so less to load. */
const smallerPrograms = { 'asking.js': 'src/commands/asking.ts', 'run.js': 'src/commands/run/alone.ts' };

const { load } = createRequire(import.meta.url)('./bin/code-cache.js');
const current = new Set();
await bundlePart('main.js', { entryPoints: ['src/main.ts'], plugins: cuts });
for (const [name, commands] of Object.entries(smallerPrograms)) {
  await bundlePart(name, { entryPoints: ['src/main.ts'], plugins: [withCommandsOf(commands), ...cuts] });
}
await bundlePart('service.js', { entryPoints: ['src/service/index.ts'], plugins: serviceCuts });
for (const [name, contents] of Object.entries(librariesApart)) {
  await bundlePart(`libraries/${name}.js`, { stdin: { contents, resolveDir: process.cwd() } });
}
checkCuts();
// What `vals run` begins the val's process with.
await replace('dist/run/child.cjs', await bundle({ entryPoints: ['src/run/child/main.ts'] }));
await replace('dist/programs.json', JSON.stringify(programOfCommands()));
await prepareTexts();
await removeOthers();
await runOnce();

async function bundle(entry) {
  const { outputFiles } = await build({ ...options, ...entry });
  return outputFiles[0].text;
}

/** As bin/code-cache.js loads it: a function of what a module is given, and in front what tells one text from another. */
async function bundlePart(name, entry) {
  // It is loaded as Latin-1, which is quicker, and esbuild leaves regular expressions as they are written.
  const text = (await bundle(entry)).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 16);
  await replace(`dist/${name}`, `/*${mark}*/(function(exports,require,module,__dirname){${text}\n})`);
}

/** By the words of each command that a smaller program has. */
function programOfCommands() {
  const entries = Object.keys(smallerPrograms).flatMap((name) =>
    load(name)
      .ownCommands()
      .map((words) => [words, name]),
  );
  return Object.fromEntries(entries);
}

/** The version, every help and the completion scripts, as the program itself prints them, so that asking for them costs nothing. */
async function prepareTexts() {
  const { main, commandPaths } = load('main.js');
  const print = async (name, argv, terminal = {}) => {
    let text = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    Object.assign(stdout, terminal);
    const { signal } = new AbortController();
    await main({
      argv,
      env: {},
      cwd: process.cwd(),
      stdout,
      stderr: stdout,
      signal,
      clock: { now: Date.now },
    });
    await replace(`dist/prepared/${name}.txt`, text);
  };
  await print('version', ['--version']);
  const printHelp = async (name, argv) => {
    await print(name, argv);
    await print(`styled/${name}`, argv, { isTTY: true, columns: 80 });
  };
  await printHelp('help', ['--help']);
  await printHelp('help-options', ['help', 'options']);
  for (const shell of ['bash', 'zsh', 'fish']) await print(`completion-${shell}`, ['completion', shell]);
  for (const path of commandPaths()) {
    const words = path.split(' ');
    await printHelp(['help', ...words].join('-'), [...words, '--help']);
  }
}

/** A program that runs meanwhile sees the old file or the new one, and what is old goes last. */
async function replace(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
  current.add(resolve(path));
}

async function removeOthers() {
  for (const entry of await readdir('dist', { recursive: true, withFileTypes: true })) {
    const path = resolve(join(entry.parentPath, entry.name));
    if (entry.isFile() && !current.has(path)) await rm(path, { force: true });
  }
}

/** The first run of each program keeps its compiled code for the next ones. It uses most of it: client, service, store. */
async function runOnce() {
  const folder = await mkdtemp(join(tmpdir(), 'vals-build-'));
  const env = { ...process.env, HOME: folder, VALS_DATA_DIR: folder, VALS_CONFIG_DIR: folder };
  try {
    for (const argv of [
      ['push', 'examples', '--local'],
      ['ls', '--local'],
      ['run', 'examples/hello.ts'],
    ]) {
      await promisify(execFile)(process.execPath, ['bin/vals.js', ...argv], { env });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
