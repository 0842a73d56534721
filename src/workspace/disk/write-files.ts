import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { ConflictError, LocalError } from '../../errors.ts';
import type { HeldFolder } from '../../lib/held-folder.ts';
import { largest, readPlainFile, UnusableFile } from '../../lib/plain-file.ts';
import { errnoOf, errorMessageOf, isMissing, replaceFile } from '../../lib/system.ts';
import { inFolder, inFolderOf, lookAt } from './in-folder.ts';
import { dotValsFolder } from './root.ts';

const temporaryFolder = `${dotValsFolder}/tmp`;

const newFileMode = 0o644;

export type Expected = { content: string | undefined } | 'anything';

export interface ReplaceOptions {
  flush?: boolean;
  /** Without a mode, an existing file keeps its mode. */
  mode?: number | undefined;
}

export function replaceBelow(
  root: string,
  file: string,
  content: string,
  expected: Expected,
  { flush = true, mode }: ReplaceOptions = {},
): void {
  writing(file, () =>
    inFolderOf(root, file, { make: true }, (folder, name) => {
      if (lookAt(folder, name)?.isFile() === false) throw new UnusableFile('is not a regular file');
      const replacement = { file, content, expected, flush, mode };
      const move = (from: HeldFolder) => moveOnto(folder, name, from, replacement);
      // If the temporary folder is on another disk, `move` returns false. Then `folder` holds the temporary file.
      return inFolder(root, temporaryFolder, { make: true }, move) || move(folder);
    }),
  );
}

interface Replacement extends ReplaceOptions {
  file: string;
  content: string;
  expected: Expected;
}

function moveOnto(
  folder: HeldFolder,
  name: string,
  from: HeldFolder,
  { file, content, expected, flush, mode: givenMode }: Replacement,
): boolean {
  const target = `${folder.path}/${name}`;
  const before = lookAt(folder, name);
  const temporary = `${from.path}/.${randomUUID()}.tmp`;
  try {
    const mode = givenMode ?? (before === undefined ? newFileMode : before.mode & 0o777);
    const descriptor = openSync(temporary, 'wx', mode);
    try {
      writeFileSync(descriptor, content);
      // `openSync` removes the permissions that the umask forbids, but an existing file keeps its permissions.
      if (before !== undefined) fchmodSync(descriptor, mode);
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

function refuseEdited(target: string, file: string, expected: Expected): void {
  if (expected === 'anything') return;
  let found: string | undefined;
  try {
    found = readPlainFile(target, { mostBytes: largest.base }).toString();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (found === expected.content) return;
  throw new ConflictError(`${file} changed while the command was running, so it was not overwritten.`, {
    hint: 'Run the command again.',
  });
}

export const appendBelow = (root: string, file: string, text: string): void =>
  writing(file, () =>
    inFolderOf(root, file, { make: true }, (folder, name) => {
      if (lookAt(folder, name)?.isFile() === false) throw new UnusableFile('is not a regular file');
      const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
      const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
      const descriptor = openSync(`${folder.path}/${name}`, flags, newFileMode);
      try {
        if (!fstatSync(descriptor).isFile()) throw new UnusableFile('is not a regular file');
        folder.check();
        writeSync(descriptor, text);
        return true;
      } finally {
        closeSync(descriptor);
      }
    }),
  );

export const removeBelow = (root: string, file: string): void =>
  writing(file, () => {
    inFolderOf(root, file, {}, (folder, name) => {
      folder.check();
      rmSync(`${folder.path}/${name}`, { force: true });
    });
    return true;
  });

export const filesForWriting = [`${temporaryFolder}/new`, `${dotValsFolder}/lock`];

export const refuseSpecial = (root: string, file: string): void =>
  inFolderOf(root, file, {}, (folder, name) => {
    if (lookAt(folder, name)?.isFile() === false) throw new UnusableFile('is not a regular file');
  });

function writing(file: string, act: () => boolean | undefined): void {
  try {
    if (!act()) throw new Error('the folder of the workspace is gone');
  } catch (error) {
    if (error instanceof LocalError || error instanceof ConflictError) throw error;
    throw new LocalError(`${file} could not be written: ${errorMessageOf(error)}`, {
      hint: 'Check the permissions of the folder and the free space on the disk.',
      cause: error,
    });
  }
}

const leftoverAfterMs = 3_600_000;
const temporaryName = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

export function removeOldTemporaryFiles(root: string): void {
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
