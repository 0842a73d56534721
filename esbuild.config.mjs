// Builds the folder dist/, which bin/vals.js needs:
//   main.js        the program
//   run/child.cjs  the program of the child process in which `vals run` runs a val
//   mcp.cjs        the code for the MCP protocol, which only `vals mcp` loads
//   prepared/      texts that bin/vals.js prints without loading the program
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { build } from 'esbuild';

// Only the owner may change the built files: bin/code-cache.js ignores a folder that others can change.
process.umask(0o022);

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
/** @type {Set<string>} */
const written = new Set();

const program = await bundle('src/main.ts');
const digest = createHash('sha256').update(program).digest('hex').slice(0, 16);
// main.js is one function expression, which bin/code-cache.js evaluates and calls. main.js begins with a comment that has
// the digest. By the digest, bin/code-cache.js tells whether a cache of bytecode belongs to this build.
await write('dist/main.js', `/*${digest}*/(function(exports,require,module,__dirname){${program}\n})`);
await write('dist/run/child.cjs', await bundle('src/run/child/main.ts'));
await write('dist/mcp.cjs', await bundle('src/agents/protocol.ts'));
await prepareTexts(createRequire(import.meta.url)('./bin/code-cache.js').loadProgram());
await removeOldFiles();

/**
 * Puts a module and everything that it imports into one file. A module behind `import()` is in the file too, but runs only
 * when the program reaches the `import()`.
 * @param {string} entry
 */
async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    // Node 20 starts CommonJS 7 ms faster than an ES module.
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    // A vm.Script, as in bin/code-cache.js, cannot use import(), so esbuild writes require() instead.
    supported: { 'dynamic-import': false },
    minify: true,
    legalComments: 'none',
    // libsql and esbuild contain native code and are installed beside vals. The package pg uses pg-native only if
    // pg-native is installed.
    external: ['libsql', 'pg-native', 'esbuild'],
    define: { VERSION: JSON.stringify(version) },
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`esbuild made no file of ${entry}.`);
  // bin/code-cache.js reads main.js as latin1, which would corrupt other characters than ASCII. esbuild escapes these
  // characters, except in regular expressions.
  return file.text.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Runs the program to get the version, the help texts and the completion scripts, and writes each text to dist/prepared/.
 * Without these files, `--help` takes 1.6 times as long.
 * @param {typeof import('./src/main.ts')} program
 */
async function prepareTexts({ main, commandPaths }) {
  const texts = [
    { name: 'version', argv: ['--version'] },
    ...['bash', 'zsh', 'fish', 'powershell'].map((shell) => ({
      name: `completion-${shell}`,
      argv: ['completion', shell],
    })),
  ];
  const helps = [
    { name: 'help', argv: ['--help'] },
    // `vals help options` prints a help text too, although `options` is no command.
    ...['options', ...commandPaths()].map((path) => ({
      name: `help-${path.replaceAll(' ', '-')}`,
      argv: ['help', ...path.split(' ')],
    })),
  ];
  for (const { name, argv } of [...texts, ...helps]) {
    await write(`dist/prepared/${name}.txt`, await outputOf(main, argv));
  }
  for (const { name, argv } of helps) {
    const styled = await outputOf(main, argv, { isTTY: true, columns: 80 });
    await write(`dist/prepared/styled/${name}.txt`, styled);
  }
}

/**
 * Runs a command in this process. Resolves to the text that the command printed.
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
 * Replaces the file at once, so that a running program sees either the old file or the new one.
 * @param {string} path
 * @param {string} text
 */
async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
  written.add(resolve(path));
}

/** Removes the files of earlier builds, and the caches of bytecode that belong to those builds. */
async function removeOldFiles() {
  for (const entry of await readdir('dist', { recursive: true, withFileTypes: true })) {
    const path = resolve(join(entry.parentPath, entry.name));
    if (entry.isFile() && !written.has(path)) await rm(path, { force: true });
  }
}
