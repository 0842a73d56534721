import { createRequire, isBuiltin } from 'node:module';
import { dirname, extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleResolve } from 'import-meta-resolve';
import { existingStats } from '../../core/lib/paths.ts';
import { isRemote, withoutNpm } from '../protocol.ts';
import type { WrittenImport } from './transpile.ts';

export interface ImportOf {
  written: WrittenImport;
  /** The URL of the module that has the import. */
  importer: string;
}

/** An import for which Node finds no module. Node says so when the val reaches it. */
export interface MissingImport extends ImportOf {
  /** The URL of the file where Node looks from. */
  from: string;
}

export interface Resolver {
  /** As Node resolves it. Undefined for modules of Node and for what is missing. */
  resolve(each: ImportOf): string | undefined;
  missing: readonly MissingImport[];
}

export function createModuleResolver(entryUrl: string): Resolver {
  const missing: MissingImport[] = [];
  /** Node resolves a package for each module anew. In a folder, the answer is the same. */
  const known = new Map<string, string | undefined>();

  function resolveIn(folder: string, written: WrittenImport, from: string): string | undefined {
    const key = JSON.stringify([folder, written]);
    if (!known.has(key)) known.set(key, resolvedUrl(written, from));
    return known.get(key);
  }

  return {
    missing,
    resolve({ written, importer }) {
      const from = isRemote(importer) ? entryUrl : importer;
      const url = resolveIn(new URL('.', from).href, written, from);
      if (url === undefined) missing.push({ written, importer, from });
      return url;
    },
  };
}

function resolvedUrl({ kind, specifier }: WrittenImport, from: string): string | undefined {
  const name = withoutNpm(specifier);
  try {
    if (isBuiltin(name)) return name;
    if (kind === 'require') return pathToFileURL(createRequire(from).resolve(name)).href;
    const { protocol, href } = moduleResolve(name, new URL(from), conditions);
    return ['file:', 'data:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

const conditions = new Set(['node', 'import', 'module-sync', 'node-addons']);

/** Node's error for the import has one of these texts. */
export function namesOf({ written: { specifier }, from }: MissingImport): string[] {
  const name = withoutNpm(specifier);
  if (isFilePath(name)) return [`'${name}'`, pathAt(name, from)];
  return [`'${name}'`, `"${name}"`, `'${packageIn(name)}'`, `/node_modules/${name}'`];
}

export const packageIn = (specifier: string): string =>
  /^(?:@[^/]+\/)?[^/]+/.exec(withoutNpm(specifier))?.[0] ?? '';

export const isFilePath = (specifier: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$)/.test(specifier);

export const pathAt = (specifier: string, from: string): string =>
  resolve(dirname(fileURLToPath(from)), specifier);

const sourceEndings: Record<string, string[]> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};
const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

/** What a bundler or `tsc` would take for the import, such as `./x.ts` for `./x`. */
export function fittingSpecifier({ written: { specifier }, from }: MissingImport): string | undefined {
  if (!isFilePath(specifier)) return undefined;
  const ending = extname(specifier);
  const stem = specifier.slice(0, specifier.length - ending.length);
  const folder = specifier.replace(/\/?$/, '/');
  const candidates = [
    ...(sourceEndings[ending] ?? []).map((other) => stem + other),
    ...endings.map((added) => specifier + added),
    ...endings.map((added) => `${folder}index${added}`),
  ];
  return candidates.find((candidate) => existingStats(pathAt(candidate, from))?.isFile());
}
