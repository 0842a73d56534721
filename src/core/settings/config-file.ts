import { fchmodSync, mkdirSync, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { LocalError } from '../errors.ts';
import { sh } from '../lib/hint.ts';
import { isObject, parseIfJson } from '../lib/json.ts';
import { readPlainFile, UnusableFile } from '../lib/plain-file.ts';
import { errnoOf, errorMessageOf, hintIfBusy, isMissing, type System, wordsOf } from '../lib/system.ts';

export interface StoredConfig {
  baseUrl?: string;
  /** By origin: a token belongs to an origin, without a path. */
  tokens: Record<string, string>;
}

const fixHint = (file: string) => [
  `Fix ${file}, or move the file away.`,
  sh`To make a new one, run ${['login']}.`,
];

/** Without conf, which would add 70 ms to the 180 ms of each command. */
export function readConfig(file: string, system: System, warn: (message: string) => void): StoredConfig {
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
function readPrivately(file: string, { platform, uid }: System, warn: (message: string) => void): string {
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
  const { baseUrl, tokens = {} } = content;
  if ((baseUrl !== undefined && typeof baseUrl !== 'string') || !isTexts(tokens)) throw damaged();
  return { tokens, ...(baseUrl !== undefined && { baseUrl }) };
}

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');

/** conf asks the system for the home directory when it is loaded. */
function noHome(cause: unknown): never {
  throw new LocalError('The config file could not be written: this user has no home directory.', {
    hint: `Set ${wordsOf().home} to a folder.`,
    cause,
  });
}

/** Of two changes in the same instant, the later one may win. Returns what was written. */
export async function updateConfig(
  { configFile: file, readConfig }: { configFile: string; readConfig(): StoredConfig },
  change: (config: StoredConfig) => StoredConfig,
): Promise<StoredConfig> {
  const folder = dirname(file);
  const next = change(readConfig());
  const { default: Conf } = await import('conf').catch(noHome);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const conf = new Conf({
      cwd: folder,
      configName: basename(file, '.json'),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    conf.store = { ...next };
    return next;
  } catch (cause) {
    const isFull = ['ENOSPC', 'EDQUOT'].includes(errnoOf(cause) ?? '');
    const problem = isFull ? 'no space is left on the disk.' : errorMessageOf(cause);
    throw new LocalError(`The config file could not be written: ${problem}`, {
      hint: isFull
        ? `Free some space on the disk of ${folder}, then run the command again.`
        : (hintIfBusy(cause) ?? `Make ${folder} writable, or set VALS_CONFIG_DIR to a writable folder.`),
      cause,
    });
  }
}
