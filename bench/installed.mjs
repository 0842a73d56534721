// Other programs, where this machine has them.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} name @returns {string | undefined} its path */
export function installed(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
