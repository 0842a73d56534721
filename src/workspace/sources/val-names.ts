// The name of a val is made from the name of its file.
import { basename, extname } from 'node:path';
import { UsageError } from '../../errors.ts';
import { validName } from '../../lib/val-limits.ts';

export interface NamedFile {
  file: string;
  name: string;
}

/** Undefined if the name of the file has no letter that a name could begin with. */
export const nameFrom = (file: string): string | undefined => validName(basename(file, extname(file)));

export function refuseSameNames(files: readonly NamedFile[]): void {
  const fileByName = new Map<string, string>();
  for (const { file, name } of files) {
    const otherFile = fileByName.get(name);
    if (otherFile !== undefined) throw sameName(otherFile, { file, name });
    fileByName.set(name, file);
  }
}

export const sameName = (
  otherFile: string,
  { file, name }: NamedFile,
  hint = 'Rename one of the two files, or push one of them alone with --name.',
): UsageError => new UsageError(`${otherFile} and ${file} would both be the val "${name}".`, { hint });

export function withoutName(files: readonly string[]): UsageError {
  const named = new Intl.ListFormat('en-GB').format(files);
  const have = files.length === 1 ? 'has no letter in its name' : 'have no letters in their names';
  return new UsageError(`${named} ${have}, so no name for a val can be made from it.`, {
    hint: [
      'Rename the file, or list it in .valsignore.',
      { text: 'To give the val a name', command: 'push', input: { paths: [files[0] ?? ''], name: true } },
    ],
  });
}
