// Where the workspace is: the folder of the nearest vals.json, here or above. A few looks, and nothing is read.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export const manifestFile = 'vals.json';

export function findRoot(from = resolve('.')): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, manifestFile))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
