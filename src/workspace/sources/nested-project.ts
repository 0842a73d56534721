import { join } from 'node:path';
import { LocalError } from '../../errors.ts';
import { isProject } from '../disk/root.ts';
import { folderOf } from './ignoring.ts';

/** A repository in the folder may come from somebody else, so its files are not pushed with the folder. */
export function createNestedProjectCheck(root: string): (file: string) => boolean {
  const known = new Map([['', false]]);
  const isNested = (folder: string): boolean => {
    const nested = known.get(folder) ?? (isProject(join(root, folder)) || isNested(folderOf(folder)));
    known.set(folder, nested);
    return nested;
  };
  return (file) => isNested(folderOf(file));
}

const refusals = {
  push: { notDone: 'was not pushed', next: 'push the file' },
  pull: { notDone: 'was not written', next: 'pull the val' },
};

/**
 * A vals.json from a stranger could list a file of a nested repository with the id of any val of the user. Then a push
 * of the file would overwrite the val, and a pull would overwrite the file.
 */
export const inOtherProject = (file: string, command: keyof typeof refusals): LocalError => {
  const { notDone, next } = refusals[command];
  return new LocalError(`${file} ${notDone}, because it is in another repository or workspace.`, {
    hint: `Go to the folder of that repository or workspace, then ${next} there.`,
  });
};
