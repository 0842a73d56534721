import { describe } from 'vitest';
import { findInPath } from '../../bench/bench.mjs';

export function describeWith(name: string, what: string, suite: (path: string) => void): void {
  const path = findInPath(name);
  if (path === undefined) describe.skip(`${what} (skipped: ${name} is not installed)`, () => suite(name));
  else describe(what, () => suite(path));
}
