// Builds dist/: CommonJS chunks, each loaded only when it is used.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { build, transform } from 'esbuild';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));

/**
 * undici's index loads fetch, mocks, caches and HTTP/2, 50 ms of what we never use. We use an agent and `request`.
 */
const slimUndici = {
  name: 'slim-undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ importer }) => ({
      path: /proxy\.ts$/.test(importer) ? 'proxy' : 'direct',
      namespace: 'slim-undici',
    }));
    onLoad({ filter: /./, namespace: 'slim-undici' }, ({ path }) => ({
      resolveDir: process.cwd(),
      contents: `
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
        import request from 'undici/lib/api/api-request.js';
        Dispatcher.prototype.request = request;
        ${
          path === 'proxy'
            ? `import connect from 'undici/lib/api/api-connect.js';
               Dispatcher.prototype.connect = connect;
               export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';`
            : `export { default as Agent } from 'undici/lib/dispatcher/agent.js';
               export { default as buildConnector } from 'undici/lib/core/connect.js';`
        }`,
    }));
    onLoad({ filter: /undici\/lib\/(?:dispatcher\/client-h2|web\/fetch\/body)\.js$/ }, () => ({
      contents: `module.exports = () => { throw new Error('left out of the build of vals') };`,
    }));
    // Every Node that we run on has SIMD; the parser's other half is as large again.
    onLoad({ filter: /undici\/lib\/llhttp\/llhttp-wasm\.js$/ }, () => ({
      contents: 'module.exports = undefined;',
    }));
  },
};

/**
 * Builtins that a library loads at once for parts of it that we do not use, each some milliseconds at every start:
 * commander for commands that are programs of their own, undici for one constant, one class and plain assertions.
 */
const lightBuiltins = {
  name: 'light-builtins',
  setup({ onResolve, onLoad }) {
    const light = {
      'node:child_process': 'module.exports = {};',
      'node:http': 'module.exports = { maxHeaderSize: 16_384, IncomingMessage: class {} };',
      'node:assert': `
        const assert = (value, message) => {
          if (!value) throw message instanceof Error ? message : new Error(message || 'an assertion of undici failed');
        };
        assert.ok = assert;
        assert.equal = assert.strictEqual = (a, b, message) => assert(a === b, message);
        assert.notStrictEqual = (a, b, message) => assert(a !== b, message);
        module.exports = assert;`,
    };
    onResolve({ filter: /^node:(?:child_process|http|assert)$/ }, ({ path, importer }) =>
      /node_modules\/(?:commander|undici)\//.test(importer)
        ? { path, namespace: 'light-builtins' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'light-builtins' }, ({ path }) => ({ contents: light[path] }));
  },
};

// esbuild splits only ES modules, and an ES module as the entry costs Node 20 some 7 ms at each start.
// So: split first, then turn each chunk into CommonJS.
const { outputFiles } = await build({
  entryPoints: { main: 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  chunkNames: 'chunks/[name]-[hash]',
  external: ['libsql'],
  plugins: [slimUndici, lightBuiltins],
  define: { VERSION: JSON.stringify(version) },
});

// Each file replaces its predecessor whole, and what is old goes last: a program that runs meanwhile still works.
for (const { path, text } of outputFiles) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    supported: { 'dynamic-import': false },
    minify: true,
    legalComments: 'none',
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, code);
  await rename(`${path}.new`, path);
}
const preparedFiles = await prepareTexts();
const current = new Set([...outputFiles.map(({ path }) => path), ...preparedFiles]);
for (const name of await readdir('dist', { recursive: true, withFileTypes: true })) {
  const path = resolve(join(name.parentPath, name.name));
  if (name.isFile() && !current.has(path)) await rm(path, { force: true });
}

/** The version and every help, as the program itself prints them, so that asking for them costs nothing. */
async function prepareTexts() {
  const { main, commandPaths } = createRequire(import.meta.url)('./dist/main.js');
  const files = [];
  await mkdir('dist/prepared', { recursive: true });
  const print = async (name, argv) => {
    let text = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    await main({ argv, env: {}, stdout, stderr: stdout, signal: new AbortController().signal });
    const file = resolve('dist/prepared', `${name}.txt`);
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
    files.push(file);
  };
  await print('version', ['--version']);
  await print('help', ['--help']);
  for (const path of commandPaths) {
    const words = path.split(' ');
    await print(['help', ...words].join('-'), [...words, '--help']);
  }
  return files;
}
