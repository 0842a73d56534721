import { expect, it } from 'vitest';
import { firstRelativeImport } from '../../../src/core/files/relative-imports.ts';

it.each([
  ["import a from './a.ts'", './a.ts'],
  ["import './a.ts';", './a.ts'],
  ["import {\n  a,\n  b,\n} from '../a'", '../a'],
  ['export * from "./a"', './a'],
  ["import type from './a'", './a'],
  ["export default 1\nimport a from './a'", './a'],
  ["export type A = string\nimport a from './a'", './a'],
  ["import b from 'b';\nimport a from './a'", './a'],
  ["import type { A } from './a'", undefined],
  ["export type * from './a'", undefined],
  ["const a = './a'", undefined],
  ["const from = './a'", undefined],
  ["read('./a')", undefined],
  ["import a from 'a'", undefined],
])('the first import of a file beside the val of %j is %j', (code, found) => {
  expect(firstRelativeImport(code)).toBe(found);
});
