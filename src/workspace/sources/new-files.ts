// Code files below the root that vals.json does not name yet.
import { basename } from 'node:path';
import { fold, pathProblem } from '../disk/file-names.ts';
import { nameFrom, refuseTwins, type Source, walkFolder } from './walk.ts';

/** Each file with the name that its val would get. Throws if two files would get the same name. */
export async function findNewFiles(
  root: string,
  known: readonly Source[],
  warn: (message: string) => void,
): Promise<Source[]> {
  const knownFiles = new Set(known.map(({ file }) => fold(file)));
  const found: Source[] = [];
  for (const file of await walkFolder(root, warn)) {
    // Files whose name begins with a dot, such as .eslintrc.js, configure other tools.
    if (knownFiles.has(fold(file)) || basename(file).startsWith('.')) continue;
    const problem = pathProblem(file);
    if (problem !== undefined) {
      warn(`${file} was left out: its path ${problem}.`);
      continue;
    }
    found.push({ file, name: nameFrom(file) });
  }
  refuseTwins(
    [...known, ...found],
    'Rename one of the files, ignore it in .valsignore, or give it another name in vals.json.',
  );
  return found;
}
