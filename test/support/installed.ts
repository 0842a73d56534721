// Other programs that some tests need. A test whose program is missing is skipped, and its name says so.
import { describe } from 'vitest';
import { findInPath } from '../../bench/bench.mjs';

/** A suite that needs a program, and gets its path. */
export function describeWith(name: string, what: string, suite: (path: string) => void): void {
  const path = findInPath(name);
  if (path === undefined) describe.skip(`${what} (skipped: ${name} is not installed)`, () => suite(name));
  else describe(what, () => suite(path));
}
