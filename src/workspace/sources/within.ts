// Files of a command that is limited to one folder.
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { LocalError } from '../../errors.ts';

/** The path as seen from the folder, with / between its parts. */
export function pathWithin(folder: string, path: string, named: string): string {
  const below = relative(folder, path);
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) throw outside(folder, named);
  return below.split(sep).join('/');
}

/** For a folder that will be walked: neither its path nor a link on it may lead out. */
export function refuseOutside(folder: string, path: string, named: string): void {
  pathWithin(folder, path, named);
  if (existsSync(path)) pathWithin(realpathSync(folder), realpathSync(path), named);
}

const outside = (folder: string, named: string): LocalError =>
  new LocalError(`${named} is not below ${folder}.`, {
    hint: 'Agents read and write files of that folder alone. Choose one of them, or ask a person.',
  });
