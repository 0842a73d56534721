// Files of a command that is limited to one folder.
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { LocalError } from '../../errors.ts';

/** The path as seen from the folder, with / between its parts. Without a folder, no file may be used. */
export function pathWithin(folder: string | undefined, path: string, named: string): string {
  if (folder === undefined) {
    throw new LocalError(`${named} is not used, since this server has no folder of its own.`, {
      hint: 'A person has to start it in the folder of a project, not in / or the home folder.',
    });
  }
  const below = relative(folder, path);
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) {
    throw new LocalError(`${named} is not below ${folder}.`, {
      hint: 'Agents read and write files of that folder alone. Choose one of them, or ask a person.',
    });
  }
  return below.split(sep).join('/');
}

/** For a folder that will be walked: neither its path nor a link on it may lead out. */
export function refuseOutside(folder: string | undefined, path: string, named: string): void {
  pathWithin(folder, path, named);
  if (folder !== undefined && existsSync(path)) pathWithin(realpathSync(folder), realpathSync(path), named);
}
