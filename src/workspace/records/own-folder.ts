// Everything that vals knows of a workspace beside vals.json is kept here, in the data directory of the user. A cloned
// repository cannot bring such a folder along.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LocalError } from '../../core/errors.ts';
import { isObject, type JsonValue, parseIfJson, stringifyJson } from '../../core/lib/json.ts';
import { readableNames, realPath } from '../../core/lib/paths.ts';
import { replacePrivate } from '../../core/lib/replace-private.ts';
import { errorMessageOf } from '../../core/lib/system.ts';
import type { Settings } from '../../core/settings/settings.ts';

export interface OwnFolder {
  /** Undefined if there is no home directory. The folder is made by the first write. */
  path: string | undefined;
  /** Returns undefined if the file is missing or cannot be read. */
  read(file: string): string | undefined;
  names(folder: string): string[];
  /** Makes the folder. Throws if that is not possible. */
  write(file: string, content: string): void;
  remove(file: string): void;
}

const ownerFile = 'folder.json';

export function openOwnFolder({ dataDirectory }: Pick<Settings, 'dataDirectory'>, root: string): OwnFolder {
  const owner = ownerOf(root);
  const path = dataDirectory && join(dataDirectory.value, 'workspaces', folderName(owner.path));
  // Another folder was here before, at the same path.
  let isOurs = path !== undefined && isSameOwner(readJson(join(path, ownerFile)), owner);

  function prepare(): string {
    if (path === undefined) throw noDataDirectory();
    // Another command may have made the folder meanwhile.
    isOurs ||= isSameOwner(readJson(join(path, ownerFile)), owner);
    if (isOurs) return path;
    try {
      removeRecords(path);
      replacePrivate(join(path, ownerFile), `${stringifyJson({ ...owner })}\n`);
      isOurs = true;
      return path;
    } catch (error) {
      throw notWritten(path, error);
    }
  }

  return {
    path,
    read: (file) => (isOurs && path !== undefined ? readText(join(path, file)) : undefined),
    names: (folder) => (isOurs && path !== undefined ? readableNames(join(path, folder)) : []),
    write(file, content) {
      const target = join(prepare(), file);
      try {
        replacePrivate(target, content);
      } catch (error) {
        throw notWritten(target, error);
      }
    },
    remove(file) {
      if (isOurs && path !== undefined) rmSync(join(path, file), { recursive: true, force: true });
    },
  };
}

interface Owner {
  path: string;
  identity: string;
}

/** A new folder at the same path has another inode or another time of birth. */
function ownerOf(root: string): Owner {
  const path = realPath(root);
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return { path, identity: stats === undefined ? '' : `${stats.ino} ${stats.birthtimeNs}` };
}

const isSameOwner = (found: JsonValue | undefined, { path, identity }: Owner): boolean =>
  isObject(found) && found.path === path && found.identity === identity;

const folderName = (path: string): string => `${readable(basename(path))}-${shortHash(path)}`;

const readable = (text: string): string => text.replace(/[^\da-zA-Z]+/g, '-').slice(0, 40);

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Backups stay, because they may be the only copies of somebody's edits. */
function removeRecords(path: string): void {
  for (const name of readableNames(path)) {
    if (name !== 'backup') rmSync(join(path, name), { recursive: true, force: true });
  }
}

function readText(path: string): string | undefined {
  try {
    // For new vals there is no file, and an exception would take longer than this check.
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function readJson(path: string): JsonValue | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseIfJson(text);
}

const noDataDirectory = (): LocalError =>
  new LocalError('There is no data directory: HOME is empty or not an absolute path.', {
    hint: 'Set HOME, or set VALS_DATA_DIR to a folder.',
  });

const notWritten = (path: string, error: unknown): LocalError =>
  new LocalError(`${path} could not be written: ${errorMessageOf(error)}`, {
    hint: 'Check the permissions and the free space of the data directory, or set VALS_DATA_DIR to another folder.',
    cause: error,
  });
