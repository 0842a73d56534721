import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import nativePath, { basename, dirname, join, type PlatformPath, resolve, sep } from 'node:path';
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

/**
 * Windows takes a path in any case. The real path would not do: it turns a mapped drive into the share. On the disk of a system
 * that tells cases apart, a path is as it was typed.
 */
export function spelledAsOnDisk(
  path: string,
  platform: NodeJS.Platform,
  entriesOf = readableNames,
  { parse, join }: PlatformPath = nativePath,
): string {
  if (platform !== 'win32') return path;
  const { root } = parse(path);
  let spelled = /^[a-z]:/.test(root) ? root.toUpperCase() : root;
  const names = path.slice(root.length).split(/[\\/]+/);
  for (const name of names.filter(Boolean)) {
    const entries = entriesOf(spelled);
    const isThere = entries.includes(name);
    const other = entries.find((entry) => entry.toLowerCase() === name.toLowerCase());
    spelled = join(spelled, isThere ? name : (other ?? name));
  }
  return spelled;
}

/** The path as it was typed, but its last name, which may become that of a val, in the spelling of the disk. */
export function typedAsOnDisk(
  path: string,
  { cwd, system: { platform } }: { cwd: string; system: { platform: NodeJS.Platform } },
): string {
  const name = basename(spelledAsOnDisk(resolve(cwd, path), platform));
  const isLast = basename(path) !== name && basename(path).toLowerCase() === name.toLowerCase();
  return isLast ? join(dirname(path), name) : path;
}
