import { mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Conf from 'conf';
import { LocalError, ValsError } from '../errors.ts';
import { warnWith } from '../lib/say.ts';
import { errnoOf, errorMessageOf } from '../lib/system.ts';
import { readConfig, type StoredConfig } from './config-file.ts';
import { lock, type Waiting } from './lock.ts';
import type { Settings } from './settings.ts';

export async function updateConfig(
  { settings, ...waiting }: Omit<Waiting, 'deadlineMs'> & { settings: Settings },
  change: (config: StoredConfig) => StoredConfig,
): Promise<void> {
  const file = settings.configFile;
  const directory = dirname(file);
  const warn = warnWith(waiting.say);
  const deadlineMs = settings.timeout.value * 1_000;

  async function updateOnce(): Promise<boolean> {
    const { isMine, release } = await lock(`${file}.lock`, { ...waiting, deadlineMs });
    try {
      const next = change(readConfig(file, settings.system, warn));
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
    let isUpdated = false;
    while (!isUpdated) isUpdated = await updateOnce();
  } catch (error) {
    if (error instanceof ValsError) throw error;
    const isFull = ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
    const problem = isFull ? 'no space is left on the disk.' : errorMessageOf(error);
    throw new LocalError(`The config file could not be written: ${problem}`, {
      hint: isFull
        ? `Free some space on the disk of ${directory}, then run the command again.`
        : `Make ${directory} writable, or set VALS_CONFIG_DIR to a writable folder.`,
      cause: error,
    });
  }
}
