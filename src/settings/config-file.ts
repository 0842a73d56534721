import { isAbsolute, resolve } from 'node:path';
import { LocalError } from '../errors.ts';
import { isObject } from '../lib/json.ts';
import { UnusableFile } from '../lib/plain-file.ts';
import { isMissing, type System } from '../lib/system.ts';
import { readPrivateFile } from './private-file.ts';

export interface StoredConfig {
  baseUrl?: string;
  tokens: Record<string, string>;
  safeDirectories?: string[];
}

const fixHint = (file: string) => `Fix ${file}, or move the file away and run \`vals login\` again.`;

export function readConfig(file: string, system: System, warn: (message: string) => void): StoredConfig {
  let text: string;
  try {
    text = readPrivateFile(file, system, warn);
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
