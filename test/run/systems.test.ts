import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spelledAsOnDisk } from '../../src/core/lib/paths.ts';
import { withoutNamespace } from '../../src/core/lib/system.ts';
import { nodeOptions } from '../../src/run/process/permissions.ts';

describe('on Windows', () => {
  it('a path gets the case that the disk has, and keeps its drive', () => {
    const disk: Record<string, string[]> = {
      'C:\\': ['Work'],
      'C:\\Work': ['Vals'],
      'C:\\Work\\Vals': ['a.ts', 'B.ts'],
      '\\\\server\\share\\': ['Work'],
    };
    const spelled = (path: string) => spelledAsOnDisk(path, 'win32', (folder) => disk[folder] ?? [], win32);
    expect(spelled('c:\\work\\vals\\b.TS')).toBe('C:\\Work\\Vals\\B.ts');
    expect(spelled('C:/Work/Vals/new.ts')).toBe('C:\\Work\\Vals\\new.ts');
    expect(spelled('\\\\server\\share\\work')).toBe('\\\\server\\share\\Work');
    expect(spelledAsOnDisk('/Work/a.ts', 'linux')).toBe('/Work/a.ts');
  });

  it('hints name plain paths', () => {
    const paths = ['\\\\?\\C:\\x', '\\\\?\\UNC\\server\\x', 'C:\\x', '/x'];
    expect(paths.map(withoutNamespace)).toEqual(['C:\\x', '\\\\server\\x', 'C:\\x', '/x']);
  });

  it('Node gets each path once, whatever its spelling', () => {
    const optionsFor = (read: string[], platform: NodeJS.Platform) => {
      const permissions = { read, write: [], run: false };
      const options = nodeOptions({ version: '20.18.1', permissions, inspector: undefined, platform });
      return options.filter((option) => option.endsWith('b'));
    };
    expect(optionsFor(['C:\\a\\b', 'C:\\a/b', 'c:\\A\\b', 'C:\\a\\c'], 'win32')).toHaveLength(1);
    expect(optionsFor(['/a/b', '/A/b', '/a/b'], 'linux')).toHaveLength(2);
  });
});
