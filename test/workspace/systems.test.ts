import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameProblem } from '../../src/workspace/disk/file-names.ts';
import { temporaryFolder } from '../support/program.ts';
import { pushed } from './places.ts';

it('on Windows, a file cannot have a name that Windows does not allow', () => {
  expect(nameProblem('what?', 'win32')).toContain('? or *');
  expect(nameProblem('what?', 'linux')).toBeUndefined();
});

describe('a disk that takes two spellings for one file', () => {
  // A link stands for such a disk: it has another spelling, and the real path has the one on the disk.
  it.each([
    ['case.ts', 'Case.ts', 'case'],
    ['caf\u00e9.ts', 'cafe\u0301.ts', 'cafe'],
  ])('pushes %j to its val by the spelling %j', async (file, other, name) => {
    const { place } = await pushed({ [file]: 'code' });
    symlinkSync(file, join(place.folder, other));
    expect(await place.rows(['push', other])).toMatchObject([{ file, name, status: 'unchanged' }]);
  });
});

it('a file is in the workspace, even if its path leads through a link, such as /tmp on macOS', async () => {
  const { place } = await pushed({ 'src/hello.ts': 'code' });
  const link = join(temporaryFolder(), 'link');
  symlinkSync(place.folder, link);
  const rows = [{ name: 'hello', status: 'unchanged' }];
  expect(await place.rows(['push', join(link, 'src/hello.ts')])).toMatchObject(rows);
  expect(await place.rows(['push', link])).toMatchObject(rows);
  expect(await place.words(['status', join(link, 'src/hello.ts')])).toEqual({ 'src/hello.ts': 'unchanged' });
});
