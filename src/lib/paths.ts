// Paths that look the same on every system, the kind of a path, and the folders above a file.
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import nativePath, { dirname, type PlatformPath, sep } from 'node:path';
import { errnoOf, isMissing } from './system.ts';

/** The path with / between its parts, as vals shows and stores it. */
export const withSlashes = (path: string, separator = sep): string => path.split(separator).join('/');

/** Whether a path is in a folder, or is the folder itself. Neither of the two may contain `..`. No link is followed. */
export function isWithin(
  folder: string,
  path: string,
  { relative, isAbsolute, sep }: PlatformPath = nativePath,
): boolean {
  const fromFolder = relative(folder, path);
  // On Windows, the relative path to a file on another drive is absolute, such as `D:\file`.
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}

/** The path with its links followed; the same path if nothing exists there. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Makes the folder and its missing parents. Does not use Node's `recursive`, which never returns for a folder in /proc. */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (isMissing(error) && dirname(folder) !== folder) {
      makeFolder(dirname(folder), mode);
      mkdirSync(folder, { mode });
    } else if (errnoOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) {
      throw error;
    }
  }
}

/** Whether the path exists and is not a folder. A pipe counts as a file. */
export const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;

/** All folders that contain the file, from the nearest to the root. */
export function foldersAbove(file: string): string[] {
  const folder = dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
}
