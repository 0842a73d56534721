// Code files below the root that vals.json does not name yet.
import { basename } from 'node:path';
import { UsageError } from '../../errors.ts';
import { fold, pathProblem } from '../disk/file-names.ts';
import { nameFrom, type Source, walkFolder } from './walk.ts';

/** Each with the name it would have; a name that is taken is refused. */
export async function findNewFiles(
  root: string,
  known: readonly Source[],
  warn: (message: string) => void,
): Promise<Source[]> {
  const knownFiles = new Set(known.map(({ file }) => fold(file)));
  const byName = new Map(known.map(({ file, name }) => [name, file]));
  const found: Source[] = [];
  for (const file of await walkFolder(root, warn)) {
    // Files with a dot in front, such as .eslintrc.js, set up other tools.
    if (knownFiles.has(fold(file)) || basename(file).startsWith('.')) continue;
    const problem = pathProblem(file);
    if (problem !== undefined) {
      warn(`${file} is left out: its path ${problem}.`);
      continue;
    }
    const name = nameFrom(file);
    const twin = byName.get(name);
    if (twin !== undefined) {
      throw new UsageError(`${twin} and ${file} would both be the val "${name}".`, {
        hint: 'Rename one of the files, ignore it in .valsignore, or give it another name in vals.json.',
      });
    }
    byName.set(name, file);
    found.push({ file, name });
  }
  return found;
}
