// Files of a command that an agent gave: they are below one folder, and not among the files that vals keeps for itself.
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { LocalError } from '../../errors.ts';

export interface FileLimits {
  /** Files must be below this folder, and are reached through no link. Undefined: there are no files. */
  filesBelow: string | undefined;
  /** The folders of the config file and of the embedded service. */
  kept: readonly string[];
}

/** The folder, and the path as seen from it, with / between its parts. */
export function placeWithin(
  { filesBelow, kept }: FileLimits,
  path: string,
  named: string,
): { folder: string; below: string } {
  if (filesBelow === undefined) {
    throw new LocalError(`${named} is not used, since this server has no folder of its own.`, {
      hint: 'A person has to start it in the folder of a project, not in / or the home folder.',
    });
  }
  const real = realPath(path);
  const isInside = isBelow(filesBelow, path) && isBelow(realPath(filesBelow), real);
  if (!isInside || kept.some((folder) => isBelow(realPath(folder), real))) {
    throw new LocalError(`${named} is not one of the files below ${filesBelow} that agents may use.`, {
      hint: 'Choose another file, or ask a person.',
    });
  }
  return { folder: filesBelow, below: relative(filesBelow, path).split(sep).join('/') };
}

/** A path that does not exist is its own. */
const realPath = (path: string): string => (existsSync(path) ? realpathSync.native(path) : path);

function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}
