import { lstatSync, type Stats } from 'node:fs';
import { LocalError } from '../../errors.ts';
import { type HeldFolder, type HoldOptions, holdFolder, NotReached } from '../../lib/held-folder.ts';
import { UnusableFile } from '../../lib/plain-file.ts';

/** Use `inFolder` for every read and write in a workspace, because a link could lead out of `root`. */
export function inFolder<Result>(
  root: string,
  folder: string,
  options: HoldOptions,
  act: (folder: HeldFolder) => Result,
  shownPath = folder,
): Result | undefined {
  const held = hold(root, folder, options, shownPath);
  if (held === undefined) return undefined;
  try {
    return act(held);
  } catch (error) {
    throw refusal(shownPath, error);
  } finally {
    held.close();
  }
}

export function inFolderOf<Result>(
  root: string,
  file: string,
  options: HoldOptions,
  act: (folder: HeldFolder, name: string) => Result,
): Result | undefined {
  const slash = file.lastIndexOf('/');
  const folder = file.slice(0, Math.max(slash, 0));
  return inFolder(root, folder, options, (held) => act(held, file.slice(slash + 1)), file);
}

export function hold(
  root: string,
  folder: string,
  options: HoldOptions,
  shownPath = folder,
): HeldFolder | undefined {
  try {
    return holdFolder(root, folder === '' ? [] : folder.split('/'), options);
  } catch (error) {
    throw refusal(shownPath, error);
  }
}

export const lookAt = ({ path }: HeldFolder, name: string): Stats | undefined =>
  lstatSync(`${path}/${name}`, { throwIfNoEntry: false });

export function refusal(file: string, error: unknown): unknown {
  if (!(error instanceof NotReached || error instanceof UnusableFile)) return error;
  const path = error instanceof NotReached ? error.place : file;
  return new LocalError(`${file} was not used: ${path === file ? 'it' : path} ${error.problem}.`, {
    hint: `Replace ${path} with a regular file or folder, or move it away.`,
    cause: error,
  });
}
