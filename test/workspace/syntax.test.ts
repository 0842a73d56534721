import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { made, outcomes, statuses } from '../core/commands/pushes.ts';
import { folderOf, makeNamedPipe, run, runProcess } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { pushed } from './places.ts';

const broken = 'const a = 1;\nconst b = x y;\n';
const problem =
  'broken.ts:2:13 has a syntax error: Expected ";" but found "y". The line is `const b = x y;`.';

it('push sends nothing if a file has a syntax error, and names all such files', async () => {
  const service = await scriptedService([]);
  const cwd = folderOf({ 'a.ts': '1', 'broken.ts': broken, 'other.jsx': '<a>' });
  for (const more of [[], ['--dry-run']]) {
    const { exit, stdout, stderr, error } = await run(['push', '.', '--json', ...more], {
      env: { ...service.env, GITHUB_ACTIONS: 'true' },
      cwd,
    });
    expect({ exit, statuses: statuses(stdout) }).toEqual({
      exit: 10,
      statuses: ['skipped', 'failed', 'failed'],
    });
    expect(outcomes(stdout)[1]?.error).toMatchObject({ kind: 'local', exit: 10, message: problem });
    expect(outcomes(stdout)[2]?.error?.message).toMatch(/^other\.jsx:1:4 has a syntax error/);
    expect(error?.message).toContain('Nothing was sent.');
    expect(stderr).toContain(`::error file=broken.ts,line=2,col=13::${problem}`);
  }
});

it.skipIf(process.platform === 'win32')(
  'the check opens only the files that are sent, and no file that they import',
  async () => {
    const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
    const imports = 'import "./pipe.json"; import "./zero.json"; import "./other/broken.ts";';
    const cwd = folderOf({
      ...Object.fromEntries(names.map((name) => [`vals/${name}.ts`, `${imports} export default "${name}"`])),
      'vals/other/broken.ts': broken,
      'vals/.gitignore': 'other',
    });
    // Whoever opened the pipe would wait for ever, and the device would fill the memory.
    makeNamedPipe(join(cwd, 'vals/pipe.json'));
    symlinkSync('/dev/zero', join(cwd, 'vals/zero.json'));
    const { env } = await scriptedService([], made);
    const { exit, stdout } = await runProcess(['push', 'vals', '--json'], { env, cwd });
    expect({ exit, statuses: statuses(stdout) }).toEqual({ exit: 0, statuses: names.map(() => 'created') });
  },
);

it('push checks standard input, which it reads once, but not a named file of another kind, nor with --no-check', async () => {
  const service = await scriptedService([], made);
  const cwd = folderOf({ 'notes.txt': 'not code', 'broken.ts': broken });
  const push = async (args: string[], input?: string) =>
    (await run(['push', ...args], { env: service.env, cwd, input })).exit;
  expect(await push(['-', '--name', 'a'], 'a b')).toBe(10);
  expect(service.requests).toEqual([]);
  expect(await push(['-', '--name', 'a'], '<b>c</b>')).toBe(0);
  expect(await push(['notes.txt', '--name', 'a'])).toBe(0);
  expect(await push(['broken.ts', '--no-check'])).toBe(0);
});

it('a broken file that is in conflict or unchanged does not keep others from being sent', async () => {
  const { place, service } = await pushed({ 'a.ts': '1', 'b.ts': '1' });
  service.edit('a', broken);
  service.edit('b', broken);
  place.loseRecords();
  place.put({ 'a.ts': broken, 'b.ts': 'a b', 'c.ts': '1' });
  expect(await place.rows(['push'], 9)).toMatchObject([
    { file: 'a.ts', status: 'unchanged' },
    { file: 'b.ts', status: 'failed', error: { kind: 'conflict' } },
    { file: 'c.ts', status: 'created' },
  ]);
});

it('a workspace is checked before anything is sent', async () => {
  const { place, service } = await pushed({ 'a.ts': '1', 'b.ts': '1' });
  place.put({ 'a.ts': '2', 'b.ts': broken, 'c.ts': '3' });
  expect(await place.words(['push'], 10)).toEqual({ 'a.ts': 'skipped', 'b.ts': 'failed', 'c.ts': 'skipped' });
  expect(await place.status()).toMatchObject({ 'a.ts': 'changed here', 'b.ts': 'changed here' });
  expect(await place.words(['push', '--no-check'])).toMatchObject({ 'a.ts': 'pushed', 'b.ts': 'pushed' });
  // The code did not change since, so it is not checked, unless it is sent nevertheless.
  expect(await place.words(['push'])).toMatchObject({ 'b.ts': 'unchanged' });
  service.edit('b', '2');
  expect(await place.words(['push', 'b.ts', '--force'], 10)).toEqual({ 'b.ts': 'failed' });
});
