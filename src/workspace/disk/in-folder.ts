// Opens folders below a root without following links. Everything that vals reads or writes in a workspace goes through here.
import { lstatSync, type Stats } from 'node:fs';
import { LocalError } from '../../errors.ts';
import { type HeldFolder, type HoldOptions, holdFolder, NotReached } from '../../lib/held-folder.ts';
import { UnusableFile } from '../../lib/plain-file.ts';

/** Calls `act` with the open folder. Undefined if the folder does not exist. */
export function inFolder<Result>(
  root: string,
  folder: string,
  options: HoldOptions,
  act: (folder: HeldFolder) => Result,
  /** The file or folder that error messages name. */
  named = folder,
): Result | undefined {
  const held = hold(root, folder, options, named);
  if (held === undefined) return undefined;
  try {
    return act(held);
  } catch (error) {
    throw refusal(named, error);
  } finally {
    held.close();
  }
}

/** Calls `act` with the open folder of a file, and with the file's name in it. */
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

/** The caller closes the folder. */
export function hold(
  root: string,
  folder: string,
  options: HoldOptions,
  named = folder,
): HeldFolder | undefined {
  try {
    return holdFolder(root, folder === '' ? [] : folder.split('/'), options);
  } catch (error) {
    throw refusal(named, error);
  }
}

export const lookAt = ({ path }: HeldFolder, name: string): Stats | undefined =>
  lstatSync(`${path}/${name}`, { throwIfNoEntry: false });

/** Explains why a link or a special file was not used. Other errors are returned as they are. */
export function refusal(file: string, error: unknown): unknown {
  if (!(error instanceof NotReached || error instanceof UnusableFile)) return error;
  const place = error instanceof NotReached && error.place !== file ? error.place : 'it';
  return new LocalError(`${file} was not used: ${place} ${error.problem}.`, {
    hint: 'A workspace uses only plain files and folders. Replace it with one, or move it away.',
    cause: error,
  });
}
