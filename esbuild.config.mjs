// Builds the folder dist/, which bin/vals.js needs:
//   start.cjs      what bin/vals.js runs first
//   main.js        the program, and main.js.map, which `--debug` reads for the stack of a defect
//   <room>/        what a room loads from files of its own: src/<room>/**/<name>.entry.ts as <room>/<name>.cjs
//   prepared/      texts that start.cjs prints without loading the program
// And THIRD-PARTY-NOTICES and sbom.cdx.json, which are packed with it.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, normalize } from 'node:path';
import { Writable } from 'node:stream';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { noticesFor, sbomFor } from './.ci/notices.mjs';

process.umask(0o022);

const { name, version, license, dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
/** @type {Set<string>} */
const written = new Set();
/** @type {import('esbuild').Metafile[]} */
const metafiles = [];
/** @type {string[]} */
const legalComments = [];

const { code, map } = await bundle('src/main.ts');
// src/code-cache.ts uses a cache of bytecode only if it was made from the program with this digest.
const digest = createHash('sha256').update(code).digest('hex').slice(0, 16);
const main = `/*${digest}*/(function(exports,require,module,__dirname){\n${code}\n})`;
await write('dist/main.js', main);
// The program begins on the second line of main.js.
await write('dist/main.js.map', JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
await write('dist/start.cjs', (await bundle('src/start.ts')).code);
for (const entry of await entries()) {
  const [, room = ''] = entry.split('/');
  const { code } = await bundle(entry, { keepImports: true });
  await write(`dist/${room}/${basename(entry, '.entry.ts')}.cjs`, code);
}
await write('THIRD-PARTY-NOTICES', noticesFor(metafiles, legalComments));
await write('sbom.cdx.json', sbomFor(metafiles, { name, version, license, dependencies }));
await prepareTexts(evaluate(main));
await removeOldFiles();

async function entries() {
  const files = await readdir('src', { recursive: true });
  return files
    .filter((file) => file.endsWith('.entry.ts'))
    .map((file) => `src/${file.replaceAll('\\', '/')}`);
}

/**
 * @param {string} entry
 * @param {{ keepImports?: boolean }} [options]
 */
async function bundle(entry, { keepImports = false } = {}) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    outfile: 'dist/bundle.js',
    metafile: true,
    // Node 20 loads a CommonJS file 7 ms faster than an ES module.
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    // src/code-cache.ts runs main.js as a vm.Script, which cannot use import(). So esbuild writes require() instead.
    supported: { 'dynamic-import': keepImports },
    minify: true,
    // For the stacks of `--debug`. The lines are short, because escaping a character below moves those after it.
    sourcemap: 'external',
    sourcesContent: false,
    lineLimit: 300,
    // Into a file of their own, which becomes a part of THIRD-PARTY-NOTICES: in the code they would take time to load.
    legalComments: 'external',
    // libsql and esbuild contain native code, which cannot be bundled. pg imports pg-native, but works without it.
    external: ['libsql', 'pg-native', 'esbuild'],
    define: { VERSION: JSON.stringify(version), DIST: '__dirname' },
  });
  metafiles.push(metafile);
  const textOf = (/** @type {string} */ name) =>
    outputFiles.find(({ path }) => path.endsWith(name))?.text ?? '';
  legalComments.push(...textOf('.LEGAL.txt').split('\n\n').slice(1));
  const text = textOf('bundle.js');
  // The output must be ASCII, because src/code-cache.ts reads main.js as Latin-1. esbuild escapes strings, but not regular
  // expressions.
  const escaped = text.replace(
    /[^\0-\x7f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { code: escaped, map: JSON.parse(textOf('bundle.js.map')) };
}

/**
 * @param {string} code
 * @returns {typeof import('./src/main.ts')}
 */
function evaluate(code) {
  const module = { exports: {} };
  const require = createRequire(import.meta.resolve('./dist/main.js'));
  new Script(code).runInThisContext()(module.exports, require, module, join(import.meta.dirname, 'dist'));
  return /** @type {typeof import('./src/main.ts')} */ (module.exports);
}

/** @param {typeof import('./src/main.ts')} program */
async function prepareTexts({ main, commandPaths }) {
  await write('dist/prepared/version.txt', await outputOf(main, ['--version']));
  for (const shell of ['bash', 'zsh', 'fish']) {
    await write(`dist/prepared/completion-${shell}.txt`, await outputOf(main, ['completion', shell]));
  }
  for (const topic of ['', 'options', ...commandPaths()]) {
    const words = `help ${topic}`.trim().split(' ');
    await write(
      `dist/prepared/${words.join('-')}.txt`,
      await outputOf(main, words, { isTTY: true, columns: 80 }),
    );
  }
}

/**
 * @param {typeof import('./src/main.ts').main} main
 * @param {string[]} argv
 * @param {{ isTTY?: true, columns?: number }} [terminal]
 */
async function outputOf(main, argv, terminal = {}) {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const stdout = /** @type {NodeJS.WriteStream} */ (Object.assign(sink, terminal));
  const exit = await main({
    argv,
    env: {},
    system: { platform: process.platform },
    cwd: () => process.cwd(),
    stdin: () => process.stdin,
    stdout,
    stderr: stdout,
    signal: new AbortController().signal,
    dist: 'dist',
    clock: { now: Date.now, after: () => () => {} },
    node: { path: process.execPath, version: process.versions.node },
  });
  if (exit !== 0) throw new Error(`vals ${argv.join(' ')} failed: ${text}`);
  return text;
}

/**
 * Writes to another file first, so that a running program never reads half a file.
 * @param {string} path
 * @param {string} text
 */
async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
  written.add(normalize(path));
}

async function removeOldFiles() {
  for (const entry of await readdir('dist', { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !written.has(path)) await rm(path, { force: true });
  }
}
