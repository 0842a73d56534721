// Makes and locks .vals, the folder in a workspace that vals itself uses.
import { LocalError, ValsError } from '../../errors.ts';
import { messageOf } from '../../lib/errno.ts';
import { stringifyJson } from '../../lib/json.ts';
import type { Lock, Waiting } from '../../lib/lock.ts';
import type { Settings } from '../../settings/settings.ts';
import { hashOf } from '../text/hash.ts';
import { birthOf, dotValsFolder, lockBelow, readBelow, removeLeftovers, replaceBelow } from './files.ts';
import { manifestSchema } from './manifest-schema.ts';

export type WorkspaceContext = Omit<Waiting, 'deadlineMs'> & { settings: Settings };

/** .gitignore makes git ignore the folder. Editors read the schema of vals.json. */
const ownFiles: Record<string, string> = {
  '.gitignore': '*\n',
  'schema.json': `${stringifyJson(manifestSchema, 2)}\n`,
};

export function prepareDotVals(root: string): void {
  for (const [name, content] of Object.entries(ownFiles)) {
    const file = `${dotValsFolder}/${name}`;
    if (readBelow(root, file) !== content) replaceBelow(root, file, content, 'anything');
  }
}

/**
 * A hash of the inode number and birth time of .vals, so a .vals that came with a clone or a copy has another mark.
 * Undefined if there is no .vals yet.
 */
export function folderMark(root: string): string | undefined {
  const birth = birthOf(root, dotValsFolder);
  return birth && hashOf(birth).slice(0, 16);
}

export async function lockDotVals(root: string, { settings, ...waiting }: WorkspaceContext): Promise<Lock> {
  try {
    removeLeftovers(root);
    return await lockBelow(root, { ...waiting, deadlineMs: settings.timeout.value * 1_000 });
  } catch (error) {
    if (error instanceof ValsError) throw error;
    throw new LocalError(`${dotValsFolder} in ${root} could not be written: ${messageOf(error)}`, {
      hint: 'Check the permissions of the folder and the free space on the disk.',
      cause: error,
    });
  }
}
