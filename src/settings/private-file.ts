// Another user who can change the config could redirect the token to another service.
import { chmodSync, fchmodSync, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from '../errors.ts';
import { folderAboveForAll } from '../lib/paths.ts';
import { largest, readPlainFile } from '../lib/plain-file.ts';
import { shell } from '../lib/shell-command.ts';
import type { System } from '../lib/system.ts';

type Warn = (message: string) => void;

const permissions = { others: 0o077, othersWrite: 0o022, sticky: 0o1000 };

const has = ({ mode }: Stats, permission: number): boolean => (mode & permission) !== 0;

export function readPrivateFile(file: string, system: System, warn: Warn): string {
  const mostBytes = largest.config;
  if (system.platform === 'win32') return readPlainFile(file, { mostBytes, followLinks: true }).toString();
  checkOwner(dirname(file), statSync(dirname(file)), system);
  // Throws if the file is missing. A folder without a config file keeps its mode.
  const isLink = lstatSync(file).isSymbolicLink();
  const { othersCouldWrite } = securePrivateFolder(dirname(file), system, warn);
  if (isLink) checkLink(file, othersCouldWrite, system);
  const inspect = (stats: Stats, descriptor: number) => {
    checkOwner(file, stats, system);
    if (!has(stats, permissions.others)) return;
    fchmodSync(descriptor, 0o600);
    warn(accessRemoved(file));
  };
  return readPlainFile(file, { mostBytes, followLinks: !othersCouldWrite, inspect }).toString();
}

/** The result tells whether others could put files into the folder until now. */
export function securePrivateFolder(
  folder: string,
  system: System,
  warn: Warn,
): { othersCouldWrite: boolean } {
  if (system.platform === 'win32') return { othersCouldWrite: false };
  const stats = statSync(folder);
  checkOwner(folder, stats, system);
  checkOwner(folder, lstatSync(folder), system);
  makePrivate(folder, stats, warn);
  checkFoldersAbove(folder, folder);
  return { othersCouldWrite: has(stats, permissions.othersWrite) };
}

function makePrivate(folder: string, stats: Stats, warn: Warn): void {
  // A folder with the sticky bit, such as /tmp, is meant for all users, so its mode stays.
  if (!has(stats, permissions.others) || has(stats, permissions.sticky)) return;
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    if (!has(stats, permissions.othersWrite)) return;
    throw new LocalError(
      `Other users can write to the config folder ${folder}, and vals cannot change that, so vals does not use it.`,
      { hint: 'Set VALS_CONFIG_DIR to a folder that belongs to you.', cause: error },
    );
  }
  warn(accessRemoved(folder));
}

function checkLink(file: string, othersCouldWrite: boolean, system: System): void {
  checkOwner(file, lstatSync(file), system);
  if (othersCouldWrite) {
    throw new LocalError(
      `The config file ${file} is a link in a folder that other users could write to, so vals does not use it.`,
      { hint: `If you did not make the link, remove ${file}. If you made it, run the command again.` },
    );
  }
  checkFoldersAbove(file, dirname(file));
}

/** A user who can write to a folder above can replace the config by other files of its owner. */
function checkFoldersAbove(path: string, folder: string): void {
  const above = folderAboveForAll(path);
  if (above === undefined) return;
  throw new LocalError(
    `All users can write to ${above} and so replace the config folder ${folder}, so vals does not use it.`,
    { hint: `Run ${shell`chmod o-w ${above}`}, or set VALS_CONFIG_DIR to another folder.` },
  );
}

function checkOwner(path: string, owned: Stats, { uid }: System): void {
  if (owned.uid === uid || owned.uid === 0) return;
  const what = statSync(path).isDirectory() ? 'The config folder' : 'The config file';
  const isLinkToOwned = lstatSync(path).isSymbolicLink() && !owned.isSymbolicLink();
  const how = isLinkToOwned ? 'is a link to files of another user' : 'belongs to another user';
  throw new LocalError(`${what} ${path} ${how}, so vals does not use it.`, {
    hint: `Remove ${path}, or set VALS_CONFIG_DIR to a folder that belongs to you.`,
  });
}

const accessRemoved = (path: string): string =>
  `Other users had access to ${path}. vals removed their access.`;
