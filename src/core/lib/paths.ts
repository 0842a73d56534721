import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import nativePath, { dirname, type PlatformPath, sep } from 'node:path';
import { errnoOf } from './system.ts';

export const withSlashes = (path: string, separator = sep): string => path.split(separator).join('/');

/** Compares the texts of the paths and follows no links. Neither path may contain `..`. */
export function isWithin(
  folder: string,
  path: string,
  { relative, isAbsolute, sep }: PlatformPath = nativePath,
): boolean {
  const fromFolder = relative(folder, path);
  // On Windows, the relative path to a file on another drive is absolute, such as `D:\file`.
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}

export const realPath = (path: string): string => existingRealPath(path) ?? path;

export function existingRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

export function existingStats(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** A pipe counts as a file. A link to itself, a path below a file, or a name that is too long does not. */
export function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch (error) {
    const code = errnoOf(error) ?? '';
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return false;
    // Whoever reads the file says why it cannot be read.
    if (code === 'EACCES') return true;
    throw error;
  }
}

/** Returns an empty list if the folder cannot be read. */
export function readableNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function foldersAbove(file: string): string[] {
  const folder = dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
}
