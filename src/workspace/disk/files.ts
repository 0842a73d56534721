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
  shownPath = file,
): string | undefined {
  const bytes = readBytesBelow(root, file, mostBytes, shownPath);
  return bytes === undefined ? undefined : decode(shownPath, bytes);
}

export function decode(shownPath: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new LocalError(`${shownPath} is not UTF-8.`, {
    hint: 'Save it as UTF-8, then run the command again.',
  });
}

export function readBytesBelow(
  root: string,
  file: string,
  mostBytes: number,
  shownPath = file,
): Buffer | undefined {
  return reading(shownPath, () =>
    inFolderOf(root, file, {}, (folder, name) => {
      const bytes = readPlainFile(`${folder.path}/${name}`, { mostBytes });
      folder.check();
      return bytes;
    }),
  );
}

export const existsBelow = (root: string, path: string): boolean =>
  reading(path, () => inFolderOf(root, path, {}, lookAt)) !== undefined;

export const modeBelow = (root: string, file: string): number | undefined =>
  reading(file, () => inFolderOf(root, file, {}, lookAt))?.mode;

export const namesBelow = (root: string, folder: string): string[] =>
  reading(folder, () => inFolder(root, folder, {}, ({ path }) => readdirSync(path))) ?? [];

export async function listBelow(root: string, folder: string): Promise<Dirent[]> {
  const held = hold(root, folder, {});
  try {
    return held === undefined ? [] : await readdir(held.path, { withFileTypes: true });
  } finally {
    held?.close();
  }
}

function reading<Result>(shownPath: string, act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof LocalError ? error : fileError(shownPath, error);
  }
}

export const stampOf = (root: string, file: string): string | undefined =>
  inFolderOf(root, file, {}, ({ path }, name) => {
    const stats = lstatSync(`${path}/${name}`, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  });
