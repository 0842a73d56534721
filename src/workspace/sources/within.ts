// Restricts the files that an agent's command may use. The files must be below one folder, and must not be the
// program's own files.
import { relative } from 'node:path';
import { LocalError } from '../../errors.ts';
import { isWithin, realPath, withSlashes } from '../../lib/paths.ts';

export interface FileLimits {
  /** Files must be below this folder, and links are not followed. If it is undefined, no file may be used. */
  filesBelow: string | undefined;
  /** The folders of the config file and of the embedded service. Agents may not use files in these folders. */
  kept: readonly string[];
}

/** Returns `filesBelow` and the path relative to it, with / as separator. Throws if the path is not allowed. */
export function placeWithin(
  { filesBelow, kept }: FileLimits,
  path: string,
  named: string,
): { folder: string; below: string } {
  if (filesBelow === undefined) {
    throw new LocalError(`${named} cannot be used: this server was started without a project folder.`, {
      hint: 'Ask a person to start the server in a project folder, not in / or the home folder.',
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
