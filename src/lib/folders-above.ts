// The folders that a file is in, from its own to the root.
import { dirname } from 'node:path';

export function foldersAbove(file: string): string[] {
  const folder = dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
}
