// Builds dist/: CommonJS chunks, each loaded only when it is used.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
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
  plugins: [slimUndici],
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
const current = new Set(outputFiles.map(({ path }) => path));
for (const name of await readdir('dist', { recursive: true, withFileTypes: true })) {
  const path = resolve(join(name.parentPath, name.name));
  if (name.isFile() && !current.has(path)) await rm(path, { force: true });
}
