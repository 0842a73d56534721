import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolderFilter } from '../../../src/core/files/walk.ts';
import { isWithin, withSlashes } from '../../../src/core/lib/paths.ts';
import { errorMessageOf, hintIfBusy, retryWhileBusy } from '../../../src/core/lib/system.ts';

const failing = (code: string, times: number) => {
  let tries = 0;
  return () => {
    if (tries++ < times) throw Object.assign(new Error(code), { code });
    return tries;
  };
};

describe('on Windows', () => {
  it('a file that another program has open is tried several times, but not after any other error', () => {
    for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
      expect(retryWhileBusy(failing(code, 1), 'win32')).toBe(2);
      expect(() => retryWhileBusy(failing(code, 1), 'linux')).toThrow(code);
    }
    expect(() => retryWhileBusy(failing('ENOENT', 1), 'win32')).toThrow('ENOENT');
  });

  it('a file that could not be replaced has a hint at the program that has the file open', () => {
    for (const code of ['EPERM', 'EBUSY']) {
      const error = Object.assign(new Error(code), { code });
      expect(hintIfBusy(error, 'win32')).toMatch(
        /^Another program, such as an editor, may have the file open\./,
      );
      expect(hintIfBusy(error, 'linux')).toBeUndefined();
    }
    expect(hintIfBusy(new Error('no space'), 'win32')).toBeUndefined();
  });

  it('a message of the system is one line, with plain paths', () => {
    const message = 'Module not found.\r\n\\\\?\\C:\\vals\\addon.node';
    expect(errorMessageOf(new Error(message))).toBe('Module not found. C:\\vals\\addon.node');
  });

  it('a path that vals shows has / between its parts, and nothing on another drive is within a folder', () => {
    expect(withSlashes('src\\deep\\hello.ts', win32.sep)).toBe('src/deep/hello.ts');
    expect(isWithin('C:\\project', 'D:\\secret.ts', win32)).toBe(false);
    expect(isWithin('C:\\project', 'C:\\other.ts', win32)).toBe(false);
    expect(isWithin('C:\\project', 'c:/Project/src/a.ts', win32)).toBe(true);
  });

  it('vals finds the rules for a path that a watcher names with /', () => {
    const asked: string[] = [];
    const isIgnored = (below: string) => {
      asked.push(below);
      return false;
    };
    const isPassedOver = createFolderFilter('C:\\work\\space', isIgnored, win32);
    const folders = ['', '/src/deep', '/node_modules'].map((folder) => `C:/work/space${folder}`);
    expect(folders.map(isPassedOver)).toEqual([false, false, true]);
    expect(asked).toEqual(['src/deep']);
  });
});
