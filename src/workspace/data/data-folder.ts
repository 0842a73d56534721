// The folder of a workspace in the user's data directory: last syncs and backups. A cloned repository cannot bring such a
// folder along.
import { createHash } from 'node:crypto';
import { type BigIntStats, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LocalError } from '../../core/errors.ts';
import { foldersAbove, realPath } from '../../core/lib/paths.ts';
import { type ReplaceOptions, replacePrivate } from '../../core/lib/plain-file.ts';
import { errorMessageOf, hintIfBusy, wordsOf } from '../../core/lib/system.ts';
import type { Settings } from '../../core/settings/settings.ts';

export interface DataFolder {
  /** Undefined if there is no home directory. The folder is made by the first write. */
  path: string | undefined;
  /** Returns undefined if the file is missing or cannot be read. */
  read(file: string): string | undefined;
  /** Makes the folder. Throws if that is not possible. */
  write(file: string, content: string, options?: ReplaceOptions): void;
}

export function openDataFolder(
  { dataDirectory, system }: Pick<Settings, 'dataDirectory' | 'system'>,
  root: string,
): DataFolder {
  const path = dataDirectory && join(dataDirectory.value, 'workspaces', folderName(realPath(root)));
  return {
    path,
    read: (file) => (path === undefined ? undefined : readText(join(path, file))),
    write(file, content, options) {
      if (path === undefined) throw noDataDirectory(wordsOf(system.platform).home);
      const target = join(path, file);
      try {
        replacePrivate(target, content, options);
      } catch (error) {
        throw notWritten(target, error);
      }
    },
  };
}

type FolderStats = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'ctimeNs'>;

const folderStats = (path: string): FolderStats | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false });

/** A new folder at the same path has another inode or another time of birth. */
export function folderName(path: string, statsOf = folderStats): string {
  const stats = statsOf(path);
  const birth = hasBirths([stats, ...foldersAbove(path).map(statsOf)]) ? stats?.birthtimeNs : '';
  return `${readable(basename(path))}-${shortHash(`${path} ${stats?.ino} ${birth}`)}`;
}

/**
 * Where a disk has no times of birth, Node gives those of the last change, which are others after each change in the folder. In
 * a new folder both are the same, too, but not in all folders above, of which one is older.
 */
const hasBirths = (folders: readonly (FolderStats | undefined)[]): boolean =>
  folders.some((each) => each && each.dev === folders[0]?.dev && each.birthtimeNs !== each.ctimeNs);

const readable = (text: string): string => text.replace(/[^\da-zA-Z]+/g, '-').slice(0, 40);

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function readText(path: string): string | undefined {
  try {
    // For new vals there is no file, and an exception would take longer than this check.
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

const noDataDirectory = (home: string): LocalError =>
  new LocalError(`There is no data directory: ${home} is empty or not an absolute path.`, {
    hint: `Set ${home}, or set VALS_DATA_DIR to a folder.`,
  });

const notWritten = (path: string, error: unknown): LocalError =>
  new LocalError(`${path} could not be written: ${errorMessageOf(error)}`, {
    hint:
      hintIfBusy(error) ??
      'Check the permissions and the free space of the data directory, or set VALS_DATA_DIR to another folder.',
    cause: error,
  });
