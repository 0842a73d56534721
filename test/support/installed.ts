// Other programs that some tests need, where this machine has them; a test's name says when it is skipped.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** A suite that needs a program, which it is handed. */
export function describeWith(name: string, what: string, suite: (path: string) => void): void {
  const path = findProgram(name);
  if (path === undefined) describe.skip(`${what} (skipped: ${name} is not installed)`, () => suite(name));
  else describe(what, () => suite(path));
}
