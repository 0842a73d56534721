// Reads files below a root. Links are not followed.
import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { LocalError } from '../../errors.ts';
import { fileError } from '../../lib/file-error.ts';
import { largest, readPlainFile } from '../../lib/plain-file.ts';
import { isMissing } from '../../lib/system.ts';
import { hold, inFolder, inFolderOf, lookAt } from './in-folder.ts';

export function readBelow(
  root: string,
  file: string,
  mostBytes = largest.text,
  /** The path as the user typed it, for messages. */
  named = file,
): string | undefined {
  const bytes = readBytesBelow(root, file, mostBytes, named);
  return bytes === undefined ? undefined : decode(named, bytes);
}

export function decode(named: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new LocalError(`${named} is not UTF-8.`, { hint: 'Save it as UTF-8, then run the command again.' });
}

export function readBytesBelow(
  root: string,
  file: string,
  mostBytes: number,
  named = file,
): Buffer | undefined {
  return reading(named, () =>
    inFolderOf(root, file, {}, (folder, name) => {
      const bytes = readPlainFile(`${folder.path}/${name}`, { mostBytes });
      folder.check();
      return bytes;
    }),
  );
}

export const existsBelow = (root: string, path: string): boolean =>
  reading(path, () => inFolderOf(root, path, {}, lookAt)) !== undefined;

/** If `folder` is '', lists the root itself. The result is empty if the folder does not exist. */
export const namesBelow = (root: string, folder: string): string[] =>
  reading(folder, () => inFolder(root, folder, {}, ({ path }) => readdirSync(path))) ?? [];

/** Asynchronous, because listing many folders would block the process. */
export async function listBelow(root: string, folder: string): Promise<Dirent[]> {
  const held = hold(root, folder, {});
  try {
    return held === undefined ? [] : await readdir(held.path, { withFileTypes: true });
  } finally {
    held?.close();
  }
}

function reading<Result>(named: string, act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof LocalError ? error : fileError(named, error);
  }
}

export const stampOf = (root: string, file: string): string | undefined =>
  inFolderOf(root, file, {}, ({ path }, name) => {
    const stats = lstatSync(`${path}/${name}`, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  });
