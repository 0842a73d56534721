// Every access to files below a root. Nothing is reached through a link, and files are replaced whole or not at all.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConflictError, LocalError } from '../../errors.ts';
import { replaceFile } from '../../lib/busy-file.ts';
import { errnoOf, isMissing, messageOf } from '../../lib/errno.ts';
import { fileError } from '../../lib/file-error.ts';
import { largest } from '../../lib/file-sizes.ts';
import { type HeldFolder, type HoldOptions, holdFolder, NotReached } from '../../lib/held-folder.ts';
import { type Lock, lock, type Waiting } from '../../lib/lock.ts';
import { NotPlainFile, readPlainFile } from '../../lib/plain-file.ts';
import { decode } from '../sources/read-text.ts';

/** The folder that is ours, and that git ignores. */
export const dotValsFolder = '.vals';
const temporaryFolder = `${dotValsFolder}/tmp`;

/** Not for others to write to, whatever the umask. */
const newFileMode = 0o644;

/** Undefined where there is no such file. */
export function readBelow(
  root: string,
  file: string,
  mostBytes = largest.text,
  /** What the user calls it. */
  named = file,
): string | undefined {
  const bytes = readBytesBelow(root, file, mostBytes, named);
  return bytes === undefined ? undefined : decode(named, bytes);
}

/** Like readBelow, for files that need not be UTF-8. */
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

/** Whether anything is there. */
export const existsBelow = (root: string, path: string): boolean =>
  reading(path, () => inFolderOf(root, path, {}, lookAt)) !== undefined;

/** The names in a folder below the root, or in the root itself, which is ''; none where it is not there. */
export const namesBelow = (root: string, folder: string): string[] =>
  reading(folder, () => inFolder(root, folder, {}, ({ path }) => readdirSync(path))) ?? [];

/** The same with their kinds, for those who walk through many folders. */
export async function listBelow(root: string, folder: string): Promise<Dirent[]> {
  const held = hold(root, folder, {});
  try {
    return held === undefined ? [] : await readdir(held.path, { withFileTypes: true });
  } finally {
    held?.close();
  }
}

/** Undefined if the file or folder is missing; other errors name the file. */
function reading<Result>(named: string, act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof LocalError ? error : fileError(named, error);
  }
}

/** The content that a file must have to be replaced; undefined: it must not exist. */
export type Expected = { content: string | undefined } | 'anything';

export interface ReplaceOptions {
  /** False for content that can be restored: a crash of the machine may leave the file empty, a crash of vals may not. */
  flush: boolean;
}

/** A crash leaves the old file or the new one, and at most a temporary file in our own folder. */
export function replaceBelow(
  root: string,
  file: string,
  content: string,
  expected: Expected,
  options: ReplaceOptions = { flush: true },
): void {
  writing(file, () =>
    inFolderOf(root, file, { make: true }, (folder, name) => {
      const move = (from: HeldFolder) => moveOnto(folder, name, from, file, content, expected, options);
      // A file cannot be moved to another disk in one step, so there the temporary file is written beside its target.
      return inFolder(root, temporaryFolder, { make: true }, move) || move(folder);
    }),
  );
}

/** Adds to the end of a file in one step; the file is made if it is missing. */
export const appendBelow = (root: string, file: string, text: string): void =>
  writing(file, () =>
    inFolderOf(root, file, { make: true }, (folder, name) => {
      if (lookAt(folder, name)?.isFile() === false) throw new NotPlainFile('is not a plain file');
      const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
      const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
      const descriptor = openSync(`${folder.path}/${name}`, flags, newFileMode);
      try {
        if (!fstatSync(descriptor).isFile()) throw new NotPlainFile('is not a plain file');
        folder.check();
        writeSync(descriptor, text);
        return true;
      } finally {
        closeSync(descriptor);
      }
    }),
  );

/** A plain file that is ours. */
export const removeBelow = (root: string, file: string): void =>
  writing(file, () => {
    inFolderOf(root, file, {}, (folder, name) => {
      folder.check();
      rmSync(`${folder.path}/${name}`, { force: true });
    });
    return true;
  });

/** Another one whenever the file was replaced or written. */
export const stampOf = (root: string, file: string): string | undefined =>
  inFolderOf(root, file, {}, ({ path }, name) => {
    const stats = lstatSync(`${path}/${name}`, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  });

/** The inode number and the time of birth of a folder, which no copy of it has; undefined if there is no such folder. */
export const birthOf = (root: string, folder: string): string | undefined =>
  inFolder(root, folder, {}, ({ path }) => {
    const { ino, birthtimeNs } = statSync(`${path}/.`, { bigint: true });
    return `${ino} ${birthtimeNs}`;
  });

function writing(file: string, act: () => boolean | undefined): void {
  try {
    if (!act()) throw new Error('the folder of the workspace is gone');
  } catch (error) {
    if (error instanceof LocalError || error instanceof ConflictError) throw error;
    throw new LocalError(`${file} could not be written: ${messageOf(error)}`, {
      hint: 'Check that its folder can be written to and has space left.',
      cause: error,
    });
  }
}

/** False where the two folders are not on one disk. */
function moveOnto(
  folder: HeldFolder,
  name: string,
  from: HeldFolder,
  file: string,
  content: string,
  expected: Expected,
  { flush }: ReplaceOptions,
): boolean {
  const target = `${folder.path}/${name}`;
  const before = lookAt(folder, name);
  if (before !== undefined && !before.isFile()) throw new NotPlainFile('is not a plain file');
  const temporary = `${from.path}/.${randomUUID()}.tmp`;
  try {
    const descriptor = openSync(temporary, 'wx', newFileMode);
    try {
      writeFileSync(descriptor, content);
      if (before !== undefined) fchmodSync(descriptor, before.mode & 0o777);
      if (flush) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    refuseEdited(target, file, expected);
    folder.check();
    from.check();
    replaceFile(temporary, target);
    return true;
  } catch (error) {
    rmSync(temporary, { force: true });
    if (errnoOf(error) === 'EXDEV' && from !== folder) return false;
    throw error;
  }
}

/** Never overwrites what an editor saved after we read the file. */
function refuseEdited(target: string, file: string, expected: Expected): void {
  if (expected === 'anything') return;
  let found: string | undefined;
  try {
    found = readPlainFile(target, { mostBytes: largest.base }).toString();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (found === expected.content) return;
  throw new ConflictError(`${file} changed in the meantime, so it was left as it is.`, {
    hint: 'Run the command again.',
  });
}

const leftoverAfterMs = 3_600_000;
const temporaryName = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/** Removes half-written files of killed processes: only plain files with our kind of name, of our user, and old enough. */
export function removeLeftovers(root: string): void {
  inFolder(root, temporaryFolder, {}, (folder) => {
    for (const name of readdirSync(folder.path)) {
      const stats = temporaryName.test(name) ? lookAt(folder, name) : undefined;
      if (stats === undefined || !stats.isFile()) continue;
      if (process.geteuid !== undefined && stats.uid !== process.geteuid()) continue;
      folder.check();
      if (Date.now() - stats.mtimeMs > leftoverAfterMs) rmSync(`${folder.path}/${name}`, { force: true });
    }
  });
}

/** One process at a time changes what is below a root. */
export async function lockBelow(root: string, waiting: Waiting): Promise<Lock> {
  const folder = hold(root, dotValsFolder, { make: true });
  try {
    if (folder === undefined) throw new Error('the folder of the workspace is gone');
    const { isMine, release } = await lock(`${folder.path}/lock`, {
      ...waiting,
      name: join(root, dotValsFolder, 'lock'),
    });
    return {
      isMine,
      release() {
        release();
        folder.close();
      },
    };
  } catch (error) {
    folder?.close();
    throw refusal(`${dotValsFolder}/lock`, error);
  }
}

/** Undefined where there is no such folder. */
function inFolder<Result>(
  root: string,
  folder: string,
  options: HoldOptions,
  act: (folder: HeldFolder) => Result,
  file = folder,
): Result | undefined {
  const held = hold(root, folder, options, file);
  if (held === undefined) return undefined;
  try {
    return act(held);
  } catch (error) {
    throw refusal(file, error);
  } finally {
    held.close();
  }
}

function inFolderOf<Result>(
  root: string,
  file: string,
  options: HoldOptions,
  act: (folder: HeldFolder, name: string) => Result,
): Result | undefined {
  const [folder, name] = split(file);
  return inFolder(root, folder, options, (held) => act(held, name), file);
}

function split(file: string): [folder: string, name: string] {
  const slash = file.lastIndexOf('/');
  return [file.slice(0, Math.max(slash, 0)), file.slice(slash + 1)];
}

function hold(root: string, folder: string, options: HoldOptions, file = folder): HeldFolder | undefined {
  try {
    return holdFolder(root, folder === '' ? [] : folder.split('/'), options);
  } catch (error) {
    throw refusal(file, error);
  }
}

const lookAt = ({ path }: HeldFolder, name: string): Stats | undefined =>
  lstatSync(`${path}/${name}`, { throwIfNoEntry: false });

/** The same error, or one that says why a path was left alone. */
function refusal(file: string, error: unknown): unknown {
  if (!(error instanceof NotReached || error instanceof NotPlainFile)) return error;
  const place = error instanceof NotReached && error.place !== file ? error.place : 'it';
  return new LocalError(`${file} was not used: ${place} ${error.problem}.`, {
    hint: 'A workspace uses only plain files and folders. Replace it with one, or move it away.',
    cause: error,
  });
}
