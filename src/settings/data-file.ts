import { type FolderKind, refuseAsRoot } from './folder-for-root.ts';
import type { Settings } from './settings.ts';

const dataFolder: FolderKind = { name: 'data folder', variable: 'VALS_DATA_DIR' };

export function dataFileForUse({ dataDirectory, dataFile, system }: Settings): string {
  refuseAsRoot(dataFolder, dataDirectory, system);
  return dataFile;
}
