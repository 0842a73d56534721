// Builds dist/: CommonJS chunks, each loaded only when it is used.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build, transform } from 'esbuild';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));

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
