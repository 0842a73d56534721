import { existsSync, statSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RunFailedError } from '../errors.ts';
import { isWithin, realPath, withSlashes } from '../lib/paths.ts';
import { longestSpecifier } from './protocol.ts';
import type { Source } from './transpile.ts';

export interface ImportLimits {
  folder: string | undefined;
  privateFolders: readonly string[];
}

export interface Importer {
  id: string;
  source: Source;
  packagesFrom: string;
}

export function filePathOfImport(
  specifier: string,
  { id, source, packagesFrom }: Importer,
): string | undefined {
  if (specifier.length > longestSpecifier) throw tooLong(source);
  if (/^https?:|^jsr:/.test(specifier)) throw remoteImport(specifier, source);
  if (!/^\.{0,2}\/|^file:/.test(specifier)) return undefined;
  const isFile = id.startsWith('file:');
  if (!isFile && specifier.startsWith('.')) throw importBesideVal(specifier, source);
  return fileURLToPath(new URL(specifier, isFile ? id : pathToFileURL(packagesFrom)));
}

const sourceEndings: Record<string, string[]> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
};
const endings = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs'];

export function findFile(path: string): string | undefined {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  return [
    path,
    ...(sourceEndings[ending] ?? []).map((other) => stem + other),
    ...endings.map((added) => path + added),
    ...endings.map((added) => join(path, `index${added}`)),
  ].find((candidate) => existsSync(candidate) && !statSync(candidate).isDirectory());
}

export function mayImport(realFile: string, { folder, privateFolders }: ImportLimits): boolean {
  const isIn = (other: string) => isWithin(realPath(other), realFile);
  return folder !== undefined && isIn(folder) && !privateFolders.some(isIn);
}

/** A val must not import hidden files, because programs keep credentials in files such as ~/.docker/config.json. */
export function isHidden(file: string, folders: readonly string[]): boolean {
  return folders.every((folder) => {
    const [beforePackages = ''] = withSlashes(relative(realPath(folder), file)).split(
      /(?:^|\/)node_modules\//,
    );
    return /(?:^|\/)\./.test(beforePackages);
  });
}

export function packageOf(specifier: string): { name: string; version: string; subpath: string } {
  const match = /^(?:npm:\/?)?((?:@[^/]+\/)?[^/@]+)(@[^/]*)?(\/.*)?$/.exec(specifier);
  return { name: match?.[1] ?? specifier, version: match?.[2] ?? '', subpath: match?.[3] ?? '' };
}

export function placeOfImport(specifier: string, source: Source): string {
  const quoted = [`'${specifier}'`, `"${specifier}"`].map((text) => indexInCode(text, source));
  const index = quoted.find((found) => found !== -1);
  return index === undefined ? '' : ` (${placeAt(source, index)})`;
}

/** V8 may take quadratic time to find a longer text. */
const longestSearchedText = 250;

export const indexInCode = (text: string, { code }: Source): number =>
  text.length > longestSearchedText ? -1 : code.indexOf(text);

export function placeAt({ name, code }: Source, index: number): string {
  const lines = code.slice(0, index).split('\n');
  return `${name}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}

const importFailed = (specifier: string, importer: Source, problem: string, hint: string): RunFailedError =>
  new RunFailedError(
    `${importer.name} imports ${specifier}, ${problem}${placeOfImport(specifier, importer)}.`,
    { hint },
  );

/** Does not show the specifier, because a token that is cut in half would not be recognized and hidden. */
const tooLong = (importer: Source): RunFailedError =>
  new RunFailedError(
    `${importer.name} has an import whose address has more than ${longestSpecifier.toLocaleString('en')} characters.`,
    { hint: 'Fix the import, then run the val again.' },
  );

const remoteImport = (specifier: string, importer: Source): RunFailedError =>
  importFailed(
    specifier,
    importer,
    'which Node does not load',
    'Install the package (`npm install <name>`) and import it by its name.',
  );

const importBesideVal = (specifier: string, importer: Source): RunFailedError =>
  importFailed(
    specifier,
    importer,
    'but a val on the service is a single file',
    'Run the file of the val instead. To get the file, run `vals pull` in a workspace.',
  );

export const noSuchFile = (specifier: string, importer: Source, path: string): RunFailedError =>
  importFailed(
    specifier,
    importer,
    'and there is no such file',
    `Fix the import, or create the file ${path}.`,
  );

export const allowAllHint = 'To let the val do everything that you can do, run `vals run --allow-all <val>`.';

export const outsideFolder = (specifier: string, importer: Source): RunFailedError =>
  importFailed(
    specifier,
    importer,
    'which is outside of the project folder',
    `A val may import files of its own project and installed packages. ${allowAllHint}`,
  );

export const hiddenFile = (specifier: string, importer: Source): RunFailedError =>
  importFailed(
    specifier,
    importer,
    'which is hidden',
    `A val cannot import a file if the name of the file or of one of its folders begins with a dot. ${allowAllHint}`,
  );
