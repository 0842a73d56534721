import { statSync } from 'node:fs';
import { LocalError } from '../errors.ts';
import type { Settings } from './settings.ts';

/**
 * Stops root, for example through sudo, from making files in the data folder of another user, because that user could
 * not use them. A folder that VALS_DATA_DIR names is used, because containers often run as root in a folder of a user.
 */
export function dataFileForUse({ dataDirectory, dataFile, system }: Settings): string {
  if (system.uid !== 0 || dataDirectory?.source !== 'default') return dataFile;
  const owner = statSync(dataDirectory.value, { throwIfNoEntry: false })?.uid ?? system.uid;
  if (owner === system.uid) return dataFile;
  throw new LocalError(
    `The data folder ${dataDirectory.value} belongs to another user, so root does not use it.`,
    {
      hint: 'Run the command as the owner, without sudo, or set VALS_DATA_DIR to a folder of root.',
    },
  );
}
