import { symlinkSync } from 'node:fs';
import { join, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolderFilter } from '../src/core/files/walk.ts';
import { systemClock } from '../src/core/lib/clock.ts';
import { isWithin, withSlashes } from '../src/core/lib/paths.ts';
import { retryWhileBusy } from '../src/core/lib/system.ts';
import { nodeOptions } from '../src/run/permissions.ts';
import { startProcess } from '../src/run/process.ts';
import { spelledAsOnDisk, withoutNamespace } from '../src/run/windows-paths.ts';
import { sqliteLoadError } from '../src/service/database/open-database.ts';
import { nameProblem } from '../src/workspace/disk/file-names.ts';
import { noModules } from './run/folder.ts';
import { temporaryFolder } from './support/program.ts';
import { pushed } from './workspace/support.ts';

describe('on Windows', () => {
  const failing = (code: string, times: number) => {
    let tries = 0;
    return () => {
      if (tries++ < times) throw Object.assign(new Error(code), { code });
      return tries;
    };
  };

  it('a file that another program has open is tried several times, but not after any other error', () => {
    for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
      expect(retryWhileBusy(failing(code, 3), 'win32')).toBe(4);
      expect(() => retryWhileBusy(failing(code, 1), 'linux')).toThrow(code);
    }
    expect(() => retryWhileBusy(failing('EBUSY', Number.POSITIVE_INFINITY), 'win32')).toThrow('EBUSY');
    expect(() => retryWhileBusy(failing('ENOENT', 1), 'win32')).toThrow('ENOENT');
  });

  it('a path that vals shows has / between its parts, and nothing on another drive is within a folder', () => {
    expect(withSlashes('src\\deep\\hello.ts', win32.sep)).toBe('src/deep/hello.ts');
    expect(isWithin('C:\\project', 'D:\\secret.ts', win32)).toBe(false);
    expect(isWithin('C:\\project', 'C:\\other.ts', win32)).toBe(false);
    expect(isWithin('C:\\project', 'c:/Project/src/a.ts', win32)).toBe(true);
  });

  it('a path gets the case that the disk has, and keeps its drive', () => {
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

  it('a file cannot have a name that Windows does not allow', () => {
    expect(nameProblem('what?', 'win32')).toContain('? or *');
    expect(nameProblem('what?', 'linux')).toBeUndefined();
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

  it.runIf(process.platform === 'linux')(
    'a val keeps the console or terminal, because it stays in the process group of vals',
    async () => {
      const script = `
      const { readFileSync } = require('node:fs');
      const groupOf = (id) => readFileSync('/proc/' + id + '/stat', 'utf8').split(') ')[1].split(' ')[2];
      process.exit(groupOf('self') === groupOf(process.ppid) ? 10 : 20);`;
      const endingIn = (group: 'own' | 'shared') => {
        const command = [process.execPath, '-e', script] as const;
        const options = {
          env: {},
          cwd: '/',
          stdin: 'ignore',
          stdout: 'stderr',
          group,
          platform: 'linux',
        } as const;
        const listener = { onEvent() {}, onLog() {} };
        return startProcess({ ...options, command, clock: systemClock, modules: noModules() }, listener)
          .ended;
      };
      expect((await endingIn('shared')).code).toBe(10);
      expect((await endingIn('own')).code).toBe(20);
    },
  );

  it('the error says that SQLite is missing on ARM64, where a new install would not help', () => {
    const missing = new Error("Cannot find module '@libsql/win32-arm64-msvc'");
    expect(sqliteLoadError(missing, { platform: 'win32', arch: 'arm64' })).toMatchObject({
      message: expect.stringContaining('ARM64'),
      facts: { hint: expect.not.stringContaining('Install vals again') },
    });
    expect(sqliteLoadError(missing, { platform: 'win32', arch: 'x64' })).toMatchObject({
      facts: { hint: expect.stringContaining('Install vals again') },
    });
  });
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
