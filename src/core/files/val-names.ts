// The name of a val is made from the name of its file.

import { basename, extname } from 'node:path';
import { UsageError } from '../errors.ts';
import { listed, sh } from '../lib/hint.ts';
import { longestValName, nameLike } from '../lib/vals.ts';

/** Undefined if the file's name has no letter that a name could begin with, or is too long. */
export function nameFrom(file: string): string | undefined {
  const name = nameLike(basename(file, extname(file)));
  return name === '' || name.length > longestValName ? undefined : name;
}

/** Throws one error that names all files without a usable name and all that share one. */
export function refuseUnusableNames(files: readonly { file: string; name: string | undefined }[]): void {
  const unnamed = files.filter(({ name }) => name === undefined).map(({ file }) => file);
  if (unnamed.length > 0) throw withoutName(unnamed);
  const filesOf = new Map<string, string[]>();
  for (const { file, name = '' } of files) filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
  const shared = [...filesOf].filter(([, files]) => files.length > 1);
  if (shared.length > 0) throw sameNames(shared);
}

const sameNames = (shared: readonly [name: string, files: string[]][]): UsageError =>
  new UsageError(
    shared.map(([name, files]) => `${listed(files)} would ${allOf(files)} be the val "${name}".`).join(' '),
    {
      hint: [
        'Rename one of the files, or list it in .valsignore.',
        sh`To give the val of one of them another name, run ${['push', shared[0]?.[1].at(-1) ?? '<file>', '--name', '<name>']}.`,
      ],
    },
  );

const allOf = ({ length }: readonly string[]): string => (length === 2 ? 'both' : 'all');

function withoutName(files: readonly string[]): UsageError {
  const have = files.length === 1 ? 'has a name' : 'have names';
  return new UsageError(
    `${listed(files)} ${have} that no val can have: a val's name has 1 to ${longestValName} letters, digits or _, and begins with a letter.`,
    {
      hint: [
        'Rename the file, or list it in .valsignore.',
        sh`To give the val a name, run ${['push', files[0] ?? '', '--name', '<name>']}.`,
      ],
    },
  );
}
