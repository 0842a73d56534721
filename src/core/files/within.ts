import { relative } from 'node:path';
import { LocalError } from '../errors.ts';
import { isWithin, realPath, withSlashes } from '../lib/paths.ts';

export interface FileLimits {
  filesBelow: readonly string[];
  forbiddenFolders: readonly string[];
}

export function placeWithin(
  { filesBelow, forbiddenFolders }: FileLimits,
  path: string,
  shownPath: string,
): { folder: string; below: string } {
  if (filesBelow.length === 0) {
    throw new LocalError(
      `${shownPath} cannot be used: the server (vals mcp) was started without a project folder.`,
      {
        hint: 'Ask a person to start vals mcp in a project folder, not in / or in the home folder.',
      },
    );
  }
  const real = realPath(path);
  const folder = filesBelow.find((each) => isWithin(each, path) && isWithin(realPath(each), real));
  if (folder === undefined || forbiddenFolders.some((folder) => isWithin(realPath(folder), real))) {
    throw new LocalError(
      `${shownPath} cannot be used: agents may use only the project's files below ${filesBelow.join(' and ')}.`,
      { hint: 'Use a file of the project, or ask a person to copy the file into the project.' },
    );
  }
  return { folder, below: withSlashes(relative(folder, path)) };
}
