// Changing the config file: under a lock, through conf, for its owner alone.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Conf from 'conf';
import { LocalError } from '../errors.ts';
import { isMissing, readConfig, type StoredConfig, tighten } from './config-file.ts';

/** Reads, changes and writes under a lock, so that two sign-ins at once lose nothing. */
export async function updateConfig(
  file: string,
  warn: (message: string) => void,
  change: (config: StoredConfig) => StoredConfig,
): Promise<void> {
  const directory = dirname(file);

  async function updateOnce(): Promise<boolean> {
    const { isMine, release } = await lock(`${file}.lock`);
    try {
      const next = change(readConfig(file, warn));
      const conf = new Conf({
        cwd: directory,
        configName: basename(file, '.json'),
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
      });
      if (!isMine()) return false;
      conf.store = { ...conf.store, ...next };
      return isMine();
    } finally {
      release();
    }
  }

  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    tighten(directory, 0o700, warn);
    // Whoever finds that its lock was taken for stale has read what may be old, and begins again.
    while (!(await updateOnce())) {}
  } catch (error) {
    if (error instanceof LocalError) throw error;
    throw new LocalError(`The config file could not be written: ${(error as Error).message}`, {
      hint: `See that ${directory} can be written, or set VALS_CONFIG_DIR to a folder that can.`,
      cause: error,
    });
  }
}

const lockIsStaleAfterMs = 10_000;

async function lock(path: string): Promise<{ isMine(): boolean; release(): void }> {
  const mine = randomUUID();
  const isMine = (): boolean => {
    try {
      return readFileSync(path, 'utf8') === mine;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return { isMine, release: () => void (isMine() && rmSync(path, { force: true })) };
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
