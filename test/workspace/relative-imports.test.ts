import { describe, expect, it } from 'vitest';
import { firstRelativeImport } from '../../src/workspace/sources/warnings.ts';
import { folderOf, run } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';

describe('the first import of a file beside the val', () => {
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
  ])('of %j is %j', (code, found) => {
    expect(firstRelativeImport(code)).toBe(found);
  });

  it('is named in a warning', async () => {
    const cwd = folderOf({ 'a.ts': "import b from './b.ts'" });
    const { env } = await scriptedService([{ status: 201, body: { id: 'x', version: 1 } }]);
    const { stderr } = await run(['push', 'a.ts'], { cwd, env });
    expect(stderr).toContain('a.ts imports ./b.ts');
  });
});
