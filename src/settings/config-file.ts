// The file that `vals login` writes: read plainly, written through conf, for its owner alone.
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalError } from '../errors.ts';
import { isObject } from '../json.ts';

export interface StoredConfig {
  baseUrl?: string;
  /** A token for each origin. */
  tokens: Record<string, string>;
}

const wayOut = (file: string) => `Mend the file, or move it away and run \`vals login\` again: ${file}`;

/** Conf takes 40 ms to load, so it stays out of the way of reading. */
export function readConfig(file: string, warn: (message: string) => void): StoredConfig {
  let text: string;
  try {
    guard(file, warn);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return { tokens: {} };
    if (error instanceof LocalError) throw error;
    throw new LocalError(`The config file could not be read: ${(error as Error).message}`, {
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
  const { baseUrl, tokens = {} } = content;
  if (baseUrl !== undefined && typeof baseUrl !== 'string') throw corrupt('has a baseUrl that is not text');
  if (!isObject(tokens) || Object.values(tokens).some((token) => typeof token !== 'string')) {
    throw corrupt('has tokens that are not text');
  }
  return { baseUrl, tokens: tokens as Record<string, string> };
}

/** Reads, changes and writes under a lock, so that two sign-ins at once lose nothing. */
export async function updateConfig(
  file: string,
  warn: (message: string) => void,
  change: (config: StoredConfig) => StoredConfig,
): Promise<void> {
  const directory = dirname(file);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    tighten(directory, 0o700, warn);
    const release = await lock(`${file}.lock`);
    try {
      const next = change(readConfig(file, warn));
      const { default: Conf } = await import('conf');
      const conf = new Conf({
        cwd: directory,
        configName: basename(file, '.json'),
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
      });
      conf.store = { ...conf.store, ...next };
    } finally {
      release();
    }
  } catch (error) {
    if (error instanceof LocalError) throw error;
    throw new LocalError(`The config file could not be written: ${(error as Error).message}`, {
      hint: `See that ${directory} can be written, or set VALS_CONFIG_DIR to a folder that can.`,
      cause: error,
    });
  }
}

/** A config that others can read is closed to them; one that another user could swap is not used at all. */
function guard(file: string, warn: (message: string) => void): void {
  if (process.platform === 'win32') return;
  if (lstatSync(file).isSymbolicLink() && statSync(file).uid !== process.getuid?.()) {
    throw new LocalError('The config file is a link to a file of another user, so it is not used.', {
      hint: wayOut(file),
    });
  }
  tighten(file, 0o600, warn);
}

function tighten(path: string, mode: number, warn: (message: string) => void): void {
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return;
  chmodSync(path, mode);
  warn(`${path} was open to other users; it is now yours alone.`);
}

const lockIsStaleAfterMs = 10_000;

async function lock(path: string): Promise<() => void> {
  const mine = randomUUID();
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return () => {
        // Another process may have taken a lock that grew stale here.
        if (existsSync(path) && readFileSync(path, 'utf8') === mine) rmSync(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    try {
      if (Date.now() - statSync(path).mtimeMs > lockIsStaleAfterMs) rmSync(path, { force: true });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    await sleep(10 + Math.random() * 20);
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
