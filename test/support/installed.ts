// Other programs that some tests need, where this machine has them; a test's name says when it is skipped.
import { describe } from 'vitest';
import { installed } from '../../bench/bench.mjs';

/** A suite that needs a program, which it is handed. */
export function describeWith(name: string, what: string, suite: (path: string) => void): void {
  const path = installed(name);
  if (path === undefined) describe.skip(`${what} (skipped: ${name} is not installed)`, () => suite(name));
  else describe(what, () => suite(path));
}
