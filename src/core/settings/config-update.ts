import { basename, dirname } from 'node:path';
import Conf from 'conf';
import { LocalError } from '../errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { type Say, warnWith } from '../lib/say.ts';
import { errnoOf, errorMessageOf } from '../lib/system.ts';
import { readConfig, type StoredConfig } from './config-file.ts';
import type { Settings } from './settings.ts';

/** Of two changes in the same instant, the later one may win. Returns what was written. */
export function updateConfig(
  { settings, out: { say } }: { settings: Settings; out: { say: Say } },
  change: (config: StoredConfig) => StoredConfig,
): StoredConfig {
  const file = settings.configFile;
  const next = change(readConfig(file, settings.system, warnWith(say)));
  try {
    makeFolder(dirname(file), 0o700);
    const conf = new Conf({
      cwd: dirname(file),
      configName: basename(file, '.json'),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    conf.store = { ...next };
    return next;
  } catch (error) {
    throw notWritten(dirname(file), error);
  }
}

function notWritten(folder: string, cause: unknown): LocalError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errnoOf(cause) ?? '');
  const problem = isFull ? 'no space is left on the disk.' : errorMessageOf(cause);
  return new LocalError(`The config file could not be written: ${problem}`, {
    hint: isFull
      ? `Free some space on the disk of ${folder}, then run the command again.`
      : `Make ${folder} writable, or set VALS_CONFIG_DIR to a writable folder.`,
    cause,
  });
}
