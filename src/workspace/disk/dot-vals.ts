import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError, ValsError } from '../../errors.ts';
import type { HeldFolder } from '../../lib/held-folder.ts';
import { stringifyJson } from '../../lib/json.ts';
import { type Lock, lock, type Waiting } from '../../lib/lock.ts';
import { errorMessageOf } from '../../lib/system.ts';
import type { Settings } from '../../settings/settings.ts';
import { readBelow } from './files.ts';
import { hold, inFolder, refusal } from './in-folder.ts';
import { manifestSchema } from './manifest.ts';
import { dotValsFolder } from './root.ts';
import { removeOldTemporaryFiles, replaceBelow } from './write-files.ts';

export type WorkspaceContext = Omit<Waiting, 'deadlineMs'> & { settings: Settings };

const ownFiles: Record<string, string> = {
  '.gitignore': '*\n',
  'schema.json': `${stringifyJson(manifestSchema, 2)}\n`,
};

export const ownFilePaths = Object.keys(ownFiles).map((name) => `${dotValsFolder}/${name}`);

export function prepareDotVals(root: string): void {
  for (const [name, content] of Object.entries(ownFiles)) {
    const file = `${dotValsFolder}/${name}`;
    if (readIfPossible(root, file) !== content) replaceBelow(root, file, content, 'anything');
  }
}

function readIfPossible(root: string, file: string): string | undefined {
  try {
    return readBelow(root, file);
  } catch (error) {
    if (error instanceof LocalError) return undefined;
    throw error;
  }
}

/** A copy of the folder, such as a cloned repository, has another inode and another time of birth. */
export const folderIdentity = (root: string): string | undefined =>
  inFolder(root, dotValsFolder, {}, ({ path }) => {
    const { ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${ino} ${birthtimeNs}`;
  });

export const markOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

export function folderMark(root: string): string | undefined {
  const identity = folderIdentity(root);
  return identity && markOf(identity);
}

export async function lockDotVals(root: string, { settings, ...waiting }: WorkspaceContext): Promise<Lock> {
  let folder: HeldFolder | undefined;
  try {
    removeOldTemporaryFiles(root);
    folder = hold(root, dotValsFolder, { make: true });
    if (folder === undefined) throw new Error('the folder of the workspace is gone');
    const { close, path } = folder;
    const { isMine, release } = await lock(`${path}/lock`, {
      ...waiting,
      deadlineMs: settings.timeout.value * 1_000,
      name: join(root, dotValsFolder, 'lock'),
    });
    return {
      isMine,
      release() {
        release();
        close();
      },
    };
  } catch (caught) {
    folder?.close();
    const error = refusal(`${dotValsFolder}/lock`, caught);
    if (error instanceof ValsError) throw error;
    throw new LocalError(`${dotValsFolder} in ${root} could not be written: ${errorMessageOf(error)}`, {
      hint: 'Check the permissions of the folder and the free space on the disk.',
      cause: error,
    });
  }
}
