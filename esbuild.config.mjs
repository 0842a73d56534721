// Builds the folder dist/, which bin/vals.js needs:
//   main.js        the program
//   run/           what runs in the process of a val, and what fetches the modules that it imports from the web
//   mcp.cjs        the code for the MCP protocol, which only `vals mcp` loads
//   prepared/      texts that bin/vals.js prints without loading the program
// And THIRD-PARTY-NOTICES, which is packed with it.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { Writable } from 'node:stream';
import { build } from 'esbuild';
import { noticesFor } from './.ci/notices.mjs';

process.umask(0o022);

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
/** @type {Set<string>} */
const written = new Set();
/** @type {import('esbuild').Metafile[]} */
const metafiles = [];
/** @type {string[]} */
const legalComments = [];

const code = await bundle('src/main.ts');
// bin/code-cache.js uses a cache of bytecode only if the cache begins with the same digest as main.js.
const digest = createHash('sha256').update(code).digest('hex').slice(0, 16);
await write('dist/main.js', `/*${digest}*/(function(exports,require,module,__dirname){${code}\n})`);
for (const name of ['preload', 'hooks', 'main']) {
  await write(`dist/run/${name}.cjs`, await bundle(`src/run/child/${name}.ts`, { keepImports: true }));
}
await write('dist/run/fetch.cjs', await bundle('src/run/fetch.ts'));
await write('dist/mcp.cjs', await bundle('src/agents/mcp-server.ts'));
await write('THIRD-PARTY-NOTICES', noticesFor(metafiles, legalComments));
const { loadProgram } = createRequire(import.meta.url)('./bin/code-cache.js');
await prepareTexts(loadProgram().program);
await removeOldFiles();

/**
 * @param {string} entry
 * @param {{ keepImports?: boolean }} [options]
 */
async function bundle(entry, { keepImports = false } = {}) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    outfile: 'bundle.js',
    metafile: true,
    // Node 20 loads a CommonJS file 7 ms faster than an ES module.
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    // bin/code-cache.js runs main.js as a vm.Script, which cannot use import(). So esbuild writes require() instead.
    supported: { 'dynamic-import': keepImports },
    minify: true,
    // Into a file of their own, which becomes a part of THIRD-PARTY-NOTICES: in the code they would take time to load.
    legalComments: 'external',
    // libsql and esbuild contain native code, which cannot be bundled. pg imports pg-native, but works without it.
    external: ['libsql', 'pg-native', 'esbuild'],
    define: { VERSION: JSON.stringify(version) },
  });
  metafiles.push(metafile);
  const textOf = (/** @type {string} */ name) =>
    outputFiles.find(({ path }) => path.endsWith(name))?.text ?? '';
  legalComments.push(...textOf('.LEGAL.txt').split('\n\n').slice(1));
  const text = textOf('bundle.js');
  // The output must be ASCII, because bin/code-cache.js reads main.js as Latin-1. esbuild escapes strings, but not regular
  // expressions.
  return text.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Without the prepared texts, `vals --help` takes 1.6 times as long.
 * @param {typeof import('./src/main.ts')} program
 */
async function prepareTexts({ main, commandPaths }) {
  await write('dist/prepared/version.txt', await outputOf(main, ['--version']));
  for (const shell of ['bash', 'zsh', 'fish']) {
    await write(`dist/prepared/completion-${shell}.txt`, await outputOf(main, ['completion', shell]));
  }
  for (const topic of ['', 'options', ...commandPaths()]) {
    const words = `help ${topic}`.trim().split(' ');
    const name = `${words.join('-')}.txt`;
    await write(`dist/prepared/${name}`, await outputOf(main, words));
    await write(`dist/prepared/styled/${name}`, await outputOf(main, words, { isTTY: true, columns: 80 }));
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
