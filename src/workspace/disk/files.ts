import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalError } from '../../errors.ts';
import { fileError } from '../../lib/file-error.ts';
import { largest, readPlainFile } from '../../lib/plain-file.ts';
import { isMissing } from '../../lib/system.ts';
import { hold, inFolder, inFolderOf, lookAt } from './in-folder.ts';

export function readBelow(
  root: string,
  file: string,
  mostBytes = largest.text,
  shownPath = file,
): string | undefined {
  const bytes = readBytesBelow(root, file, mostBytes, shownPath);
  return bytes === undefined ? undefined : decode(shownPath, bytes);
}

export function decode(shownPath: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new LocalError(`${shownPath} is not UTF-8.`, {
    hint: 'Save it as UTF-8, then run the command again.',
  });
}

export function readBytesBelow(
  root: string,
  file: string,
  mostBytes: number,
  shownPath = file,
): Buffer | undefined {
  return reading(shownPath, () =>
    inFolderOf(root, file, {}, (folder, name) => {
      const bytes = readPlainFile(`${folder.path}/${name}`, { mostBytes });
      folder.check();
      return bytes;
    }),
  );
}

export const existsBelow = (root: string, path: string): boolean =>
  reading(path, () => inFolderOf(root, path, {}, lookAt)) !== undefined;

/** For permissions only: links on the way are followed. This makes a push of 3,000 unchanged vals 0.3 s faster. */
const statsBelow = (root: string, path: string): Stats | undefined =>
  reading(path, () => lstatSync(join(root, path), { throwIfNoEntry: false }));

export interface Access {
  mode: number;
  gid?: number | undefined;
}

/** The permissions of a file, without those that a folder on the way to the file denies. */
export function accessBelow(root: string, file: string): Access | undefined {
  const stats = statsBelow(root, file);
  const closed = closedFolders(root, file);
  if (closed.length === 0) return stats;
  if (stats === undefined) return { mode: 0o600 };
  const { mode, gid } = stats;
  const areOpenToGroup = closed.every((folder) => folder.gid === gid && (folder.mode & 0o050) !== 0);
  return { mode: mode & (areOpenToGroup ? 0o770 : 0o700), gid };
}

export const isInClosedFolder = (root: string, file: string): boolean => closedFolders(root, file).length > 0;

/** The folders on the way to a file that not everybody may use. */
function closedFolders(root: string, file: string): Stats[] {
  const parts = file.split('/').slice(0, -1);
  const folders = parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
  return folders
    .flatMap((folder) => statsBelow(root, folder) ?? [])
    .filter(({ mode }) => (mode & 0o005) === 0);
}

export const namesBelow = (root: string, folder: string): string[] =>
  reading(folder, () => inFolder(root, folder, {}, ({ path }) => readdirSync(path))) ?? [];

export async function listBelow(root: string, folder: string): Promise<Dirent[]> {
  const held = hold(root, folder, {});
  try {
    return held === undefined ? [] : await readdir(held.path, { withFileTypes: true });
  } finally {
    held?.close();
  }
}

function reading<Result>(shownPath: string, act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof LocalError ? error : fileError(shownPath, error);
  }
}

export const stampOf = (root: string, file: string): string | undefined =>
  inFolderOf(root, file, {}, ({ path }, name) => {
    const stats = lstatSync(`${path}/${name}`, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  });
