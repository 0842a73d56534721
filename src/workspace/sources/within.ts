// Files of a command that an agent gave: they are below one folder, and not among the files that vals keeps for itself.
import { relative } from 'node:path';
import { LocalError } from '../../errors.ts';
import { isWithin, realPath, withSlashes } from '../../lib/paths.ts';

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
  const isInside = isWithin(filesBelow, path) && isWithin(realPath(filesBelow), real);
  if (!isInside || kept.some((folder) => isWithin(realPath(folder), real))) {
    throw new LocalError(`${named} is not one of the files below ${filesBelow} that agents may use.`, {
      hint: 'Choose another file, or ask a person.',
    });
  }
  return { folder: filesBelow, below: withSlashes(relative(filesBelow, path)) };
}
