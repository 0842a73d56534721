// The files that the paths of a push stand for. Nothing is sent.

import { basename, resolve } from 'node:path';
import type { Context } from '../command-line/command.ts';
import { LocalError, UsageError } from '../errors.ts';
import { nameFrom } from '../files/val-names.ts';
import { collectFiles, type FoundFile, hasCodeExtension } from '../files/walk.ts';
import { sh } from '../lib/hint.ts';
import { isFile } from '../lib/paths.ts';

export async function chooseFiles(
  context: Context,
  { paths, name }: { paths: readonly string[]; name: string | undefined },
): Promise<FoundFile[]> {
  if (paths.includes('')) {
    throw new UsageError('A path on the command line is empty.', {
      hint: 'A variable of the shell may be unset. Give a file or a folder, such as . for the current folder.',
    });
  }
  if (name === undefined && paths.includes('-')) {
    throw new UsageError('Code from standard input needs a name.', {
      hint: sh`To give it a name, run ${['push', '-', '--name', 'hello']}.`,
    });
  }
  if (name !== undefined && paths.length > 1) {
    throw new UsageError('--name works with only one path, but several paths were given.', {
      hint: 'Push one path at a time, each with its own name.',
    });
  }
  const files = await collectFiles(paths, context);
  if (name !== undefined && files.length > 1) {
    throw new UsageError(`--name takes only one file, but ${paths[0]} has ${files.length} files.`, {
      hint: 'Give the path of one file.',
    });
  }
  for (const file of files) refuseHidden(file);
  if (name === undefined) refuseOtherFiles(files, context.settings.cwd);
  return files;
}

/** A README.md or package.json would become a val by mistake. */
function refuseOtherFiles(files: readonly FoundFile[], cwd: string): void {
  const [other] = files.filter(
    ({ file, inFolder }) =>
      inFolder === undefined && file !== '-' && !hasCodeExtension(file) && isFile(resolve(cwd, file)),
  );
  if (other === undefined) return;
  throw new UsageError(`${other.file} is not a source file, so it is not pushed as a val.`, {
    hint: sh`Outside a workspace, ${['push', other.file, '--name', nameFrom(other.file) ?? 'hello']} makes a val of it.`,
  });
}

/** Such files have settings and secrets, as .env has. */
function refuseHidden({ file, inFolder }: FoundFile): void {
  if (inFolder !== undefined || !basename(file).startsWith('.')) return;
  throw new LocalError(`${file} cannot be pushed, because its name begins with a dot.`, {
    hint: 'Rename the file.',
  });
}
