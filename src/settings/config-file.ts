// The file that `vals login` writes, read plainly: conf takes 40 ms to load, so it is for writing alone.
import { chmodSync, lstatSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { LocalError } from '../errors.ts';
import { isMissing } from '../lib/errno.ts';
import { largest } from '../lib/file-sizes.ts';
import { isObject } from '../lib/json.ts';
import { NotPlainFile, readPlainFile } from '../lib/plain-file.ts';

export interface StoredConfig {
  baseUrl?: string;
  /** A token for each origin. */
  tokens: Record<string, string>;
  /** Workspaces of other users that this user trusts. */
  safeDirectories?: string[];
}

const wayOut = (file: string) => `Mend the file, or move it away and run \`vals login\` again: ${file}`;

export function readConfig(file: string, warn: (message: string) => void): StoredConfig {
  let text: string;
  try {
    refuseForeignLink(file);
    text = readPlainFile(file, { mostBytes: largest.config, followLinks: true }).toString();
    tighten(file, 0o600, warn);
  } catch (error) {
    if (isMissing(error)) return { tokens: {} };
    if (error instanceof LocalError) throw error;
    const problem =
      error instanceof NotPlainFile ? `${error.problem}.` : `could not be read: ${(error as Error).message}`;
    throw new LocalError(`The config file ${problem}`, {
      hint: wayOut(file),
      cause: error,
    });
  }
  return checkConfig(text, file);
}

function checkConfig(text: string, file: string): StoredConfig {
  const corrupt = (problem: string) =>
    new LocalError(`The config file ${problem}. It was left as it is.`, { hint: wayOut(file) });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw corrupt('is not JSON');
  }
  if (!isObject(content)) throw corrupt('is not a JSON object');
  const { baseUrl, tokens = {}, safeDirectories = [] } = content;
  if (baseUrl !== undefined && typeof baseUrl !== 'string') throw corrupt('has a baseUrl that is not text');
  if (!isObject(tokens) || Object.values(tokens).some((token) => typeof token !== 'string')) {
    throw corrupt('has tokens that are not text');
  }
  if (!isListOfFolders(safeDirectories)) {
    throw corrupt('has safeDirectories that are not a list of absolute paths');
  }
  return {
    baseUrl,
    tokens: tokens as Record<string, string>,
    ...(safeDirectories.length > 0 && { safeDirectories: safeDirectories.map((folder) => resolve(folder)) }),
  };
}

const isListOfFolders = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((folder) => typeof folder === 'string' && isAbsolute(folder));

/** A config that another user could swap is not used at all. */
function refuseForeignLink(file: string): void {
  if (process.platform === 'win32') return;
  if (lstatSync(file).isSymbolicLink() && statSync(file).uid !== process.getuid?.()) {
    throw new LocalError('The config file is a link to a file of another user, so it is not used.', {
      hint: wayOut(file),
    });
  }
}

/** What is open to other users is closed to them. */
export function tighten(path: string, mode: number, warn: (message: string) => void): void {
  const found = statSync(path).mode;
  // A folder with the sticky bit, such as /tmp, is meant to be everybody's.
  if (process.platform === 'win32' || (found & 0o077) === 0 || (found & 0o1000) !== 0) return;
  chmodSync(path, mode);
  warn(`${path} was open to other users; it is now yours alone.`);
}
