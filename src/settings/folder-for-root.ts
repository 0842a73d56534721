// Stops root, for example through sudo, from making files in a folder of another user, because that user could not use
// them. A folder that VALS_DATA_DIR or VALS_CONFIG_DIR names is used, because containers often run as root in a folder
// of a user.
import { LocalError } from '../errors.ts';
import { existingStats, foldersAbove } from '../lib/paths.ts';
import type { System } from '../lib/system.ts';
import type { Setting } from './settings.ts';

export interface FolderKind {
  name: 'config folder' | 'data folder';
  variable: 'VALS_CONFIG_DIR' | 'VALS_DATA_DIR';
}

type Folder = Setting<string> | undefined;

export function refuseAsRoot({ name, variable }: FolderKind, folder: Folder, system: System): void {
  const problem = problemForRoot(folder, system);
  if (problem === undefined) return;
  throw new LocalError(`The ${name} ${problem}, so root does not use it.`, {
    hint: `Run the command as the owner, without sudo, or set ${variable} to a folder of root.`,
  });
}

export function problemForRoot(folder: Folder, { uid, sudoUid }: System): string | undefined {
  if (uid !== 0 || folder?.source !== 'default') return undefined;
  const owner = ownerOf(folder.value);
  if (owner !== undefined) return owner === uid ? undefined : `${folder.value} belongs to another user`;
  const [ownerAbove] = foldersAbove(folder.value).flatMap((above) => ownerOf(above) ?? []);
  // Only the user who called sudo counts, because in some containers the home folder of root belongs to another user.
  if (ownerAbove === uid || ownerAbove !== sudoUid) return undefined;
  return `${folder.value} would be made in a folder of another user`;
}

const ownerOf = (path: string): number | undefined => existingStats(path)?.uid;
