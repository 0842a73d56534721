// Paths that look the same on every system.
import { realpathSync } from 'node:fs';
import nativePath, { type PlatformPath, sep } from 'node:path';

/** With / between their parts, as vals shows and stores paths. */
export const withSlashes = (path: string, separator = sep): string => path.split(separator).join('/');

/** Whether a path is in a folder, or is the folder itself. Neither may contain `..`, and no link is followed. */
export function isWithin(
  folder: string,
  path: string,
  { relative, isAbsolute, sep }: PlatformPath = nativePath,
): boolean {
  const way = relative(folder, path);
  // On Windows there is no relative way to another drive.
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** With its links followed; the path itself if nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
