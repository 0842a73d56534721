// Replaces files below the root of a workspace: whole, or not at all.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConflictError, LocalError } from '../../core/errors.ts';
import { namesBelow, notUsed, pathBelow } from '../../core/files/files.ts';
import { readPlainFile, UnusableFile } from '../../core/lib/plain-file.ts';
import { errorMessageOf, hintIfBusy, isMissing, isRunning, replaceFile } from '../../core/lib/system.ts';

const newFileMode = 0o644;

/** `before` is the content that the command read. Throws if the file has other content by now. */
export function replaceBelow(
  root: string,
  file: string,
  content: string,
  before: string | undefined,
  shownPath = file,
): void {
  try {
    const path = pathBelow(root, file, shownPath);
    if (file.includes('/')) mkdirSync(dirname(path), { recursive: true });
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === false)
      throw notUsed(shownPath, shownPath, new UnusableFile('is not a regular file'));
    const temporary = join(dirname(path), `.vals-${process.pid}-${randomUUID()}.tmp`);
    try {
      writeNew(temporary, content, stats && stats.mode & 0o777);
      if (contentOf(path) !== before) throw savedMeanwhile(shownPath);
      replaceFile(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (error) {
    if (error instanceof LocalError || error instanceof ConflictError) throw error;
    throw new LocalError(`${shownPath} could not be written: ${errorMessageOf(error)}`, {
      hint: hintIfBusy(error) ?? 'Check the permissions of the folder and the free space on the disk.',
      cause: error,
    });
  }
}

/** Without a mode, the umask of the user counts. */
function writeNew(path: string, content: string, mode: number | undefined): void {
  const descriptor = openSync(path, 'wx', mode ?? newFileMode);
  try {
    writeFileSync(descriptor, content);
    if (mode !== undefined) fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const temporaryName = /^\.vals-(\d+)-[\da-f-]+\.tmp$/;

/** Removes what a killed command left in a folder of the workspace. */
export function removeLeftovers(root: string, folder: string): void {
  for (const name of namesBelow(root, folder)) {
    const [, processId] = temporaryName.exec(name) ?? [];
    if (processId === undefined || isRunning(Number(processId))) continue;
    rmSync(join(root, folder, name), { force: true });
  }
}

const savedMeanwhile = (shownPath: string): ConflictError =>
  new ConflictError(`${shownPath} changed while the command was running, so it was not overwritten.`, {
    hint: 'Run the command again.',
  });

function contentOf(path: string): string | undefined {
  try {
    return readPlainFile(path).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export const fold = (text: string): string =>
  text.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');

const longestNameBytes = 200;
const holdsInvisible = (name: string): boolean => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u.test(name);
const windowsDevice = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i;
const windowsShortName = /^[^.]{1,6}~\d/;

export function nameProblem(name: string, platform = process.platform): string | undefined {
  if (name === '') return 'is empty';
  // Comes before `fold`, which would take hours for a name with millions of accents.
  if (Buffer.byteLength(name) > longestNameBytes) return `is longer than ${longestNameBytes} bytes`;
  if (holdsInvisible(name)) return 'contains invisible characters';
  if (/[/\\:]/.test(name)) return 'contains /, \\ or :';
  if (platform === 'win32' && /[<>"|?*]/.test(name)) return 'contains <, >, ", |, ? or *';
  if (name.startsWith('.')) return 'begins with a dot';
  if (/^\s|[\s.]$/.test(name)) return 'begins with a space, or ends with a space or a dot';
  if (windowsDevice.test(name)) return 'is reserved for a device on Windows';
  if (windowsShortName.test(name)) return 'may be the short name of another file on Windows';
  if (fold(name) === 'node_modules') return 'is reserved for installed packages';
  return undefined;
}

export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is not below the workspace';
  for (const part of path.split('/')) {
    if (part === '..') return 'leads out of the workspace';
    const problem = nameProblem(part);
    if (problem !== undefined) return part === path ? problem : `has a part, "${part}", that ${problem}`;
  }
  return fold(path) === 'vals.json' ? 'is the path of vals.json itself' : undefined;
}
