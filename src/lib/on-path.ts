// Whether the system would find a program by its name.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export function isOnPath(name: string, env: NodeJS.ProcessEnv): boolean {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => ['', '.exe'].some((ending) => isProgram(join(folder, name + ending))));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
