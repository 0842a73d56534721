import { dirname, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { existingStats } from '../../core/lib/paths.ts';
import { withoutNpm } from '../protocol.ts';

export const packageIn = (specifier: string): string =>
  /^(?:@[^/]+\/)?[^/]+/.exec(withoutNpm(specifier))?.[0] ?? '';

export const isFilePath = (specifier: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$)/.test(specifier);

/** `importer` is the URL of a file. */
export const pathAt = (specifier: string, importer: string): string =>
  resolve(dirname(fileURLToPath(importer)), specifier);

const sourceEndings: Record<string, string[]> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};
const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

/** What a bundler or `tsc` would take for the import, such as `./x.ts` for `./x`. */
export function fittingSpecifier(specifier: string, importer: string): string | undefined {
  const ending = extname(specifier);
  const stem = specifier.slice(0, specifier.length - ending.length);
  const folder = specifier.replace(/\/?$/, '/');
  const candidates = [
    ...(sourceEndings[ending] ?? []).map((other) => stem + other),
    ...endings.map((added) => specifier + added),
    ...endings.map((added) => `${folder}index${added}`),
  ];
  return candidates.find((candidate) => existingStats(pathAt(candidate, importer))?.isFile());
}
