// The habits of TypeScript, for imports of which Node finds no file: `./x.js` is x.ts, a folder stands for its index, and
// tsconfig.json maps names to paths.
import { existsSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Tsconfigs } from './tsconfig.ts';

export interface ImportPlace {
  importer: string;
  /** The URL that Node looked for. */
  missing: string | undefined;
  tsconfigs: Tsconfigs;
}

/** `looked` has the paths that the import could mean. */
export function findFile(
  specifier: string,
  place: ImportPlace,
): { url: string | undefined; looked: string[] } {
  const looked = basesOf(specifier, place).flatMap(candidates);
  const found = looked.find(isPlainFile);
  return { url: found && pathToFileURL(found).href, looked };
}

function basesOf(specifier: string, { importer, missing, tsconfigs }: ImportPlace): string[] {
  if (missing?.startsWith('file:')) return [fileURLToPath(missing)];
  if (specifier.startsWith('file:')) return [fileURLToPath(specifier)];
  if (/^\.{1,2}(?:\/|$)|^\//.test(specifier))
    return [join(specifier.startsWith('/') ? '' : dirname(importer), specifier)];
  return tsconfigs.pathsFor(specifier, importer);
}

const sourceEndings: Record<string, string[]> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};
const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

function candidates(path: string): string[] {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  return [
    path,
    ...(sourceEndings[ending] ?? []).map((other) => stem + other),
    ...endings.map((added) => path + added),
    ...endings.map((added) => join(path, `index${added}`)),
  ];
}

/** `paths` may lead to declarations, which are no code. */
const isPlainFile = (path: string): boolean =>
  !/\.d\.[cm]?ts$/.test(path) && existsSync(path) && statSync(path).isFile();
