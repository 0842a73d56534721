import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

export function describeWith(name: string, what: string, suite: (path: string) => void): void {
  const path = findInPath(name);
  if (path === undefined) describe.skip(`${what} (skipped: ${name} is not installed)`, () => suite(name));
  else describe(what, () => suite(path));
}

function findInPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
