import { chmodSync, lstatSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { LocalError } from '../errors.ts';
import { isObject } from '../lib/json.ts';
import { largest, readPlainFile, UnusableFile } from '../lib/plain-file.ts';
import { isMissing, type System } from '../lib/system.ts';

export interface StoredConfig {
  baseUrl?: string;
  tokens: Record<string, string>;
  safeDirectories?: string[];
}

const fixHint = (file: string) => `Fix ${file}, or move the file away and run \`vals login\` again.`;

export function readConfig(file: string, system: System, warn: (message: string) => void): StoredConfig {
  let text: string;
  try {
    checkOwner(dirname(file), system);
    checkOwner(file, system);
    text = readPlainFile(file, { mostBytes: largest.config, followLinks: true }).toString();
    makePrivate(file, system, warn);
  } catch (error) {
    if (isMissing(error)) return { tokens: {} };
    if (error instanceof LocalError) throw error;
    const problem =
      error instanceof UnusableFile ? `${error.problem}.` : `could not be read: ${(error as Error).message}`;
    throw new LocalError(`The config file ${problem}`, {
      hint: fixHint(file),
      cause: error,
    });
  }
  return checkConfig(text, file);
}

function checkConfig(text: string, file: string): StoredConfig {
  const corrupt = (problem: string) =>
    new LocalError(`The config file ${problem}. vals did not change the file.`, { hint: fixHint(file) });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw corrupt('is not JSON');
  }
  if (!isObject(content)) throw corrupt('is not a JSON object');
  const { baseUrl, tokens = {}, safeDirectories = [] } = content;
  if (baseUrl !== undefined && typeof baseUrl !== 'string')
    throw corrupt('contains a "baseUrl" that is not a string');
  if (!isObject(tokens) || Object.values(tokens).some((token) => typeof token !== 'string')) {
    throw corrupt('contains a token that is not a string');
  }
  if (!isListOfFolders(safeDirectories)) {
    throw corrupt('contains a "safeDirectories" that is not a list of absolute paths');
  }
  return {
    baseUrl,
    tokens: tokens as Record<string, string>,
    ...(safeDirectories.length > 0 && { safeDirectories: safeDirectories.map((folder) => resolve(folder)) }),
  };
}

const isListOfFolders = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((folder) => typeof folder === 'string' && isAbsolute(folder));

/** Another user who owns the config could redirect the token to another service. */
export function checkOwner(path: string, { platform, uid }: System): void {
  if (platform === 'win32') return;
  const stats = statSync(path);
  if (stats.uid === uid || stats.uid === 0) return;
  const what = stats.isDirectory() ? 'The config folder' : 'The config file';
  const how = lstatSync(path).isSymbolicLink()
    ? 'is a link to files of another user'
    : 'belongs to another user';
  throw new LocalError(`${what} ${path} ${how}, so vals does not use it.`, {
    hint: `Remove ${path}, or set VALS_CONFIG_DIR to a folder that belongs to you.`,
  });
}

export function makePrivate(path: string, { platform }: System, warn: (message: string) => void): void {
  const stats = statSync(path);
  // A folder with the sticky bit, such as /tmp, is meant for all users, so its mode stays.
  const isShared = stats.isDirectory() && (stats.mode & 0o1000) !== 0;
  if (platform === 'win32' || (stats.mode & 0o077) === 0 || isShared) return;
  chmodSync(path, stats.isDirectory() ? 0o700 : 0o600);
  warn(`Other users had access to ${path}. vals removed their access.`);
}
