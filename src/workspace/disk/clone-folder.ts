import { readdirSync } from 'node:fs';
import { LocalError, UsageError } from '../../errors.ts';
import { isObject, parseJson, stringifyJson } from '../../lib/json.ts';
import { makeFolder } from '../../lib/paths.ts';
import { errnoOf, errorMessageOf, isMissing } from '../../lib/system.ts';
import { folderMark, prepareDotVals } from './dot-vals.ts';
import { readBelow } from './files.ts';
import { dotValsFolder } from './root.ts';
import { removeBelow, replaceBelow } from './write-files.ts';

const unfinishedFile = `${dotValsFolder}/clone.json`;

export function refuseFilled(folder: string, given: string, service: string): void {
  const names = namesIn(folder, given);
  if (names.every((name) => name === dotValsFolder)) return;
  const unfinished = unfinishedService(folder);
  if (unfinished === service) return;
  const problem = unfinished === undefined ? 'is not empty' : `is an unfinished clone of ${unfinished}`;
  throw new UsageError(`${given} ${problem}.`, {
    hint: `To clone into another folder, give the name of a new folder. To add the missing vals to a workspace, run \`vals pull --all\` in that workspace.`,
  });
}

export function beginClone(folder: string, service: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new LocalError(`${folder} could not be created: ${errorMessageOf(error)}`, {
      hint: 'Give a folder that you may write to.',
      cause: error,
    });
  }
  prepareDotVals(folder);
  const mark = folderMark(folder) ?? null;
  replaceBelow(folder, unfinishedFile, `${stringifyJson({ service, mark })}\n`, 'anything');
}

export const endClone = (folder: string): void => removeBelow(folder, unfinishedFile);

function unfinishedService(folder: string): string | undefined {
  try {
    const note = parseJson(readBelow(folder, unfinishedFile) ?? 'null');
    const isOurs = isObject(note) && note.mark === folderMark(folder);
    return isOurs && typeof note.service === 'string' ? note.service : undefined;
  } catch {
    return undefined;
  }
}

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
