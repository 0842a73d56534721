import { LocalError } from '../../errors.ts';

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
