// Builds dist/: the program, the protocol of agents, the code that `vals run` starts a val with, and the prepared texts.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { build } from 'esbuild';

// Nobody but the owner may change what is built: bin/code-cache.js keeps no compiled code in a folder that others can change.
process.umask(0o022);

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
/** @type {Set<string>} */
const written = new Set();

const program = await bundle('src/main.ts');
const digest = createHash('sha256').update(program).digest('hex').slice(0, 16);
// bin/code-cache.js calls this function, and tells one build from another by the digest.
await write('dist/main.js', `/*${digest}*/(function(exports,require,module,__dirname){${program}\n})`);
await write('dist/run/child.cjs', await bundle('src/run/child/main.ts'));
await write('dist/mcp.cjs', await bundle('src/agents/protocol.ts'));
await prepareTexts(createRequire(import.meta.url)('./bin/code-cache.js').loadProgram());
await removeOthers();

/**
 * A module that is imported with `import()` is part of the file, but runs only when it is asked for.
 * @param {string} entry
 */
async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    // Node 20 takes 7 ms longer to start an ES module.
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    supported: { 'dynamic-import': false },
    minify: true,
    legalComments: 'none',
    external: ['libsql', 'pg-native', 'esbuild'],
    define: { VERSION: JSON.stringify(version) },
  });
  // esbuild leaves regular expressions as they are. Without other characters than ASCII, the file is read faster.
  return String(outputFiles[0]?.text).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The version, every help and the completion scripts as the program prints them. bin/vals.js only writes them: without
 * them, `--help` takes 1.6 times as long.
 * @param {typeof import('./src/main.ts')} program
 */
async function prepareTexts({ main, commandPaths }) {
  const helps = [
    ['--help'],
    ['help', 'options'],
    ...commandPaths().map((path) => [...path.split(' '), '--help']),
  ];
  for (const argv of helps) {
    const name = ['help', ...argv.filter((word) => word !== '--help' && word !== 'help')].join('-');
    await write(`dist/prepared/${name}.txt`, await print(main, argv));
    await write(`dist/prepared/styled/${name}.txt`, await print(main, argv, { isTTY: true, columns: 80 }));
  }
  await write('dist/prepared/version.txt', await print(main, ['--version']));
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    await write(`dist/prepared/completion-${shell}.txt`, await print(main, ['completion', shell]));
  }
}

/**
 * @param {typeof import('./src/main.ts').main} main
 * @param {string[]} argv
 * @param {{ isTTY?: true, columns?: number }} [terminal]
 */
async function print(main, argv, terminal = {}) {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const stdout = /** @type {NodeJS.WriteStream} */ (Object.assign(sink, terminal));
  await main({
    argv,
    env: {},
    system: { platform: process.platform },
    cwd: process.cwd(),
    stdin: () => process.stdin,
    stdout,
    stderr: stdout,
    signal: new AbortController().signal,
    clock: { now: Date.now, after: () => () => {} },
    node: { path: process.execPath, version: process.versions.node },
  });
  return text;
}

/**
 * A program that runs meanwhile sees the old file or the new one.
 * @param {string} path
 * @param {string} text
 */
async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
  written.add(resolve(path));
}

/** Files of an earlier build, compiled code included. */
async function removeOthers() {
  for (const entry of await readdir('dist', { recursive: true, withFileTypes: true })) {
    const path = resolve(join(entry.parentPath, entry.name));
    if (entry.isFile() && !written.has(path)) await rm(path, { force: true });
  }
}
