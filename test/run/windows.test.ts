import { expect, it } from 'vitest';
import { spelledAsOnDisk, withoutNamespace } from '../../src/run/windows-paths.ts';
import { nameProblem } from '../../src/workspace/disk/file-names.ts';

it('on Windows, a path gets the case that the disk has, and keeps its drive', () => {
  const disk: Record<string, string[]> = {
    'C:\\': ['Work'],
    'C:\\Work': ['Vals'],
    'C:\\Work\\Vals': ['a.ts', 'B.ts'],
    '\\\\server\\share\\': ['Work'],
  };
  const spelled = (path: string) => spelledAsOnDisk(path, 'win32', (folder) => disk[folder] ?? []);
  expect(spelled('c:\\work\\vals\\b.TS')).toBe('C:\\Work\\Vals\\B.ts');
  expect(spelled('C:/Work/Vals/new.ts')).toBe('C:\\Work\\Vals\\new.ts');
  expect(spelled('\\\\server\\share\\work')).toBe('\\\\server\\share\\Work');
  expect(spelledAsOnDisk('/Work/a.ts', 'linux')).toBe('/Work/a.ts');
});

it('hints name plain paths', () => {
  const paths = ['\\\\?\\C:\\x', '\\\\?\\UNC\\server\\x', 'C:\\x', '/x'];
  expect(paths.map(withoutNamespace)).toEqual(['C:\\x', '\\\\server\\x', 'C:\\x', '/x']);
});

it('on Windows, a file cannot have a name that Windows does not allow', () => {
  expect(nameProblem('what?', 'win32')).toContain('? or *');
  expect(nameProblem('what?', 'linux')).toBeUndefined();
});
