import { mkdirSync, readdirSync } from 'node:fs';
import { LocalError, UsageError } from '../../errors.ts';
import { errnoOf, errorMessageOf, isMissing } from '../../lib/system.ts';
import type { Settings } from '../../settings/settings.ts';
import { openOwnFolder } from './own-folder.ts';

const noteFile = 'unfinished-clone';

/** Refuses a folder that has files already, unless an interrupted clone of the same service made them. */
export function refuseFilled(settings: Settings, folder: string, given: string, service: string): void {
  if (namesIn(folder, given).length === 0) return;
  const unfinished = openOwnFolder(settings, folder).read(noteFile);
  if (unfinished === service) return;
  const problem = unfinished === undefined ? 'is not empty' : `is an unfinished clone of ${unfinished}`;
  throw new UsageError(`${given} ${problem}.`, {
    hint: [
      'To clone into another folder, give the name of a new folder.',
      {
        text: 'If the folder is a workspace, go to it. To add the missing vals there',
        command: 'pull',
        input: { all: true },
      },
    ],
  });
}

export function beginClone(
  settings: Settings,
  folder: string,
  service: string,
  warn: (message: string) => void,
): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new LocalError(`${folder} could not be created: ${errorMessageOf(error)}`, {
      hint: 'Give a folder that you may write to.',
      cause: error,
    });
  }
  try {
    openOwnFolder(settings, folder).write(noteFile, service);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    warn(`If the clone is interrupted, it cannot be continued: ${error.message}`);
  }
}

export const endClone = (settings: Settings, folder: string): void =>
  openOwnFolder(settings, folder).remove(noteFile);

function namesIn(folder: string, given: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    if (errnoOf(error) === 'ENOTDIR') {
      throw new UsageError(`${given} is not a folder.`, { hint: 'Give the path of a folder.' });
    }
    throw new LocalError(`${given} cannot be read: ${errorMessageOf(error)}`, {
      hint: 'Give a folder that you may read.',
      cause: error,
    });
  }
}
