import { basename, dirname } from 'node:path';
import Conf from 'conf';
import { LocalError, ValsError } from '../errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { type Say, warnWith } from '../lib/say.ts';
import { errnoOf, errorMessageOf } from '../lib/system.ts';
import { readConfig, type StoredConfig } from './config-file.ts';
import { withLock } from './lock.ts';
import type { Settings } from './settings.ts';

export function updateConfig(
  { settings, out: { say } }: { settings: Settings; out: { say: Say } },
  change: (config: StoredConfig) => StoredConfig,
): void {
  const file = settings.configFile;
  const directory = dirname(file);

  function update(): void {
    const next = change(readConfig(file, settings.system, warnWith(say)));
    const conf = new Conf({
      cwd: directory,
      configName: basename(file, '.json'),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    conf.store = { ...conf.store, ...next };
  }

  try {
    makeFolder(directory, 0o700);
    withLock(`${file}.lock`, update);
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
