// Reads files below the root of a workspace. No link inside of the workspace is followed.
import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LocalError } from '../errors.ts';
import { withSlashes } from '../lib/paths.ts';
import { readPlainFile, UnusableFile } from '../lib/plain-file.ts';
import { errnoOf, errorMessageOf, isMissing } from '../lib/system.ts';

/** Returns the path of `below` on the disk. Throws if one of the folders on the way is a link or a file. */
export function pathBelow(root: string, below: string, shownPath = below): string {
  const parts = below.split('/');
  for (let count = 1; count < parts.length; count++) {
    const folder = parts.slice(0, count).join('/');
    const problem = folderProblem(join(root, folder));
    if (problem === undefined) continue;
    const shownFolder = withSlashes(join(shownPath, relative(below, folder)));
    throw notUsed(shownPath, shownFolder, new UnusableFile(problem));
  }
  return join(root, below);
}

function folderProblem(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return undefined;
  return stats.isSymbolicLink() ? 'is a link, not a folder' : 'is not a folder';
}

export const notUsed = (file: string, place: string, cause: UnusableFile): LocalError =>
  new LocalError(`${file} was not used: ${place === file ? 'it' : place} ${cause.problem}.`, {
    hint: `Replace ${place} with a regular file or folder, or move it away.`,
    cause,
  });

export function readBelow(root: string, file: string, shownPath = file): string | undefined {
  const bytes = readBytesBelow(root, file, shownPath);
  return bytes === undefined ? undefined : decode(shownPath, bytes);
}

export function decode(shownPath: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new LocalError(`${shownPath} is not UTF-8.`, {
    hint: 'Save it as UTF-8, then run the command again.',
    ofMany: 'Each is not UTF-8.',
  });
}

export const readBytesBelow = (root: string, file: string, shownPath = file): Buffer | undefined =>
  unlessMissing(shownPath, () => readPlainFile(pathBelow(root, file, shownPath)));

export const existsBelow = (root: string, file: string): boolean =>
  unlessMissing(file, () => lstatSync(pathBelow(root, file))) !== undefined;

export const namesBelow = (root: string, folder: string): string[] =>
  unlessMissing(folder, () => readdirSync(folderBelow(root, folder))) ?? [];

export async function listBelow(root: string, folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folderBelow(root, folder), { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const folderBelow = (root: string, folder: string): string =>
  folder === '' ? root : pathBelow(root, `${folder}/.`);

/** Changes whenever the file was written or replaced. */
export function stampOf(root: string, file: string): string | undefined {
  const stats = lstatSync(join(root, file), { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}

function unlessMissing<Result>(shownPath: string, act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof UnusableFile) throw notUsed(shownPath, shownPath, error);
    throw error instanceof LocalError ? error : fileError(shownPath, error);
  }
}

const problems: Record<string, string> = {
  EACCES: 'cannot be read, because you have no permission',
  EPERM: 'cannot be read, because you have no permission',
  ELOOP: 'is a link that leads back to itself',
  EMFILE: 'cannot be read, because the limit on open files is too low',
};

const hints: Record<string, string> = {
  EACCES: 'Check the permissions of the file.',
  EPERM: 'Check the permissions of the file.',
  EMFILE: 'Raise the limit with `ulimit -n 1024`.',
};

export const missingFile = (file: string, cause?: unknown, suggestion = ''): LocalError =>
  new LocalError(`${file} does not exist.${suggestion}`, {
    hint: file.includes('*')
      ? 'Your shell did not replace the * with the names of files. Give the files, or their folder.'
      : 'Check the path.',
    ofMany: 'There is no such file.',
    cause,
  });

export function fileError(file: string, error: unknown): LocalError {
  if (error instanceof UnusableFile) {
    return new LocalError(`${file} ${error.problem}.`, {
      hint: 'Give the path of a regular file, not of a folder, pipe or device.',
      cause: error,
    });
  }
  const code = errnoOf(error) ?? '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return missingFile(file, error);
  const problem = problems[code] ?? `could not be read: ${errorMessageOf(error)}`;
  const hint = hints[code] ?? 'Check the path.';
  return new LocalError(`${file} ${problem}.`, { hint, ofMany: `Each ${problem}.`, cause: error });
}
