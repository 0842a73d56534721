import { fchmodSync, type Stats } from 'node:fs';
import { LocalError } from '../errors.ts';
import { isObject, parseIfJson } from '../lib/json.ts';
import { readPlainFile, UnusableFile } from '../lib/plain-file.ts';
import { isMissing, type System } from '../lib/system.ts';

export interface StoredConfig {
  baseUrl?: string;
  /** Each base URL that was the default, the last one last. A token belongs to an origin, without a path. */
  used?: readonly string[];
  tokens: Record<string, string>;
}

export const withDefault = (config: StoredConfig, baseUrl: string): StoredConfig => ({
  ...config,
  baseUrl,
  used: [...usedIn(config).filter((href) => href !== baseUrl), baseUrl],
});

export const usedIn = ({ baseUrl, used = [] }: StoredConfig): readonly string[] =>
  baseUrl === undefined || used.includes(baseUrl) ? used : [...used, baseUrl];

type Warn = (message: string) => void;

const fixHint = (file: string) => [
  `Fix ${file}, or move the file away.`,
  { text: 'To make a new one', command: 'login' },
];

export function readConfig(file: string, system: System, warn: Warn): StoredConfig {
  try {
    return checkConfig(readPrivately(file, system, warn), file);
  } catch (error) {
    if (isMissing(error)) return { tokens: {} };
    if (error instanceof LocalError) throw error;
    const problem =
      error instanceof UnusableFile ? `${error.problem}.` : `could not be read: ${(error as Error).message}`;
    throw new LocalError(`The config file ${problem}`, { hint: fixHint(file), cause: error });
  }
}

/** Somebody else could redirect the token to another service. Windows has neither these owners nor these modes. */
function readPrivately(file: string, { platform, uid }: System, warn: Warn): string {
  const inspect = (stats: Stats, descriptor: number) => {
    if (platform === 'win32') return;
    if (stats.uid !== uid && stats.uid !== 0) throw ofSomebodyElse(file);
    if ((stats.mode & 0o077) === 0) return;
    fchmodSync(descriptor, 0o600);
    warn(`Other users had access to ${file}. vals removed their access.`);
  };
  return readPlainFile(file, { followLinks: true, inspect }).toString();
}

const ofSomebodyElse = (file: string): LocalError =>
  new LocalError(`The config file ${file} belongs to another user, so vals does not use it.`, {
    hint: `Remove ${file}, or set VALS_CONFIG_DIR to a folder that belongs to you.`,
  });

function checkConfig(text: string, file: string): StoredConfig {
  const damaged = () => new LocalError(`The config file ${file} is damaged.`, { hint: fixHint(file) });
  const content = parseIfJson(text);
  if (!isObject(content)) throw damaged();
  const { baseUrl, used, tokens = {} } = content;
  const isKnown =
    (baseUrl === undefined || typeof baseUrl === 'string') &&
    (used === undefined || isTextList(used)) &&
    isTexts(tokens);
  if (!isKnown) throw damaged();
  return { tokens, ...(used !== undefined && { used }), ...(baseUrl !== undefined && { baseUrl }) };
}

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');
