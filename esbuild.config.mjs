// Builds dist/: CommonJS chunks, each loaded only when it is used.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { build, transform } from 'esbuild';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));

await rm('dist', { recursive: true, force: true });

// esbuild splits only ES modules, and an ES module as the entry costs Node 20 some 7 ms at each start.
// So: split first, then turn each chunk into CommonJS.
const { outputFiles, warnings } = await build({
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
  // Dependencies in CommonJS that were bundled into an ES module need a require of their own.
  mainFields: ['module', 'main'],
  logLevel: 'warning',
});
if (warnings.length > 0) process.exitCode = 1;

const { mkdir } = await import('node:fs/promises');
const { dirname } = await import('node:path');
for (const file of outputFiles) {
  const { code } = await transform(file.text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    supported: { 'dynamic-import': false },
    minify: true,
    legalComments: 'none',
  });
  await mkdir(dirname(file.path), { recursive: true });
  await writeFile(file.path, code);
}
