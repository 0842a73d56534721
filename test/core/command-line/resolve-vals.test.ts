import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceInProcess } from '../../service/support/service-in-process.ts';
import { folderOf, run, writeFiles } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { pushed } from '../../workspace/support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

/** A workspace, and a service without a list whose val this machine has seen. */
async function known() {
  const service = await scriptedService([], ({ method, path }) => {
    if (path === '/v1/me') return { body: { id: 'me' } };
    if (path.startsWith('/v1/users/')) return { status: 404 };
    if (!path.startsWith(`/v1/vals/${id}`)) return method === 'DELETE' ? { status: 204 } : { status: 404 };
    return {
      body:
        method === 'GET' && /versions$|runs/.test(path)
          ? []
          : { id, name: 'hello', code: 'x', author: { id: 'me' } },
    };
  });
  const home = folderOf({ 'vals.json': '{"names": {"lib/mail.ts": "hello"}}' });
  writeFiles(home, { 'lib/mail.ts': 'x', 'only.ts': 'y' });
  const command = (args: string[], cwd = home) =>
    run(args, { cwd, home, env: { ...service.env, EDITOR: 'sh -c "echo edited > $1" sh' } });
  for (const args of [['me'], ['val', 'get', id]]) await command(args);
  service.requests.length = 0;
  const asked = () => service.requests.splice(0).map(({ method, path }) => `${method} ${path}`);
  return { command, asked, home };
}

const read = `GET /v1/vals/${id}`;

describe('a name or a file stands for the val, which is read to confirm the name', () => {
  it.each<[string[], string[]]>([
    [['val', 'get', 'hello'], []],
    [['val', 'get', 'lib/mail.ts'], []],
    [['runs', 'hello'], [`${read}/runs?limit=20&offset=0`]],
    [['version', 'ls', 'hello'], [`${read}/versions`]],
    [['val', 'rm', 'hello', '--yes'], [`DELETE /v1/vals/${id}`]],
    [['version', 'new', 'hello', 'lib/mail.ts'], [`POST /v1/vals/${id}/versions`]],
    [
      ['version', 'restore', 'hello', '1'],
      [`${read}/versions/1`, `POST /v1/vals/${id}/versions`],
    ],
    [
      ['val', 'edit', 'hello'],
      [read, read, `POST /v1/vals/${id}/versions`],
    ],
  ])('in %j', async (args, requests) => {
    const { command, asked } = await known();
    const { exit, stderr } = await command(args);
    expect({ args, exit, stderr }).toEqual({ args, exit: 0, stderr: expect.any(String) });
    expect(asked()).toEqual([read, ...requests]);
  });

  it('but an id is not', async () => {
    const { command, asked } = await known();
    expect(await command(['val', 'rm', id, '--yes'])).toMatchObject({ exit: 0 });
    expect(asked()).toEqual([`DELETE /v1/vals/${id}`]);
  });

  it('paths are relative to the current folder', async () => {
    const { command, asked, home } = await known();
    for (const word of ['mail.ts', '../lib/mail.ts'])
      expect(await command(['val', 'get', word], join(home, 'lib'))).toMatchObject({ exit: 0 });
    expect(new Set(asked())).toEqual(new Set([read]));
  });
});

it('a file that git knows, but that is gone, stands for its val', async () => {
  const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: place.folder });
  git('init', '-q');
  git('add', 'a.ts', 'vals.json');
  git('-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qm', 'first');
  place.remove('a.ts', 'b.ts');
  expect((await place.vals('val', 'get', 'a.ts', '--code')).stdout).toBe('a');
  expect(await place.vals('val', 'get', 'b.ts', '--code')).toMatchObject({ exit: 3, stdout: '' });
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qm', 'deleted');
  expect((await place.vals('val', 'get', 'a.ts', '--code')).stdout).toBe('a');
});

it.each<[string, string]>([['only.ts', 'only.ts is not a val yet: the service has no val named "only".']])(
  '%s is not found',
  async (word, message) => {
    const { command, asked } = await known();
    const { exit, stdout, error } = await command(['val', 'get', word, '--json']);
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' });
    expect(error).toMatchObject({ kind: 'not_found', hint: expect.any(String) });
    expect(error?.message).toContain(message);
    expect(asked().filter((line) => line.includes('/v1/vals'))).toEqual([]);
  },
);

it.each(['status', 'pull'])('vals %s does not find an unknown name', async (command) => {
  const { place } = await pushed({ 'hello.ts': 'x' });
  const { exit, error } = await place.vals(command, 'helo', '--json');
  expect(exit).toBe(3);
  expect(error?.message).toContain('Did you mean "hello"?');
});

it('vals run names the file if only its extension is missing', async () => {
  const { env } = await serviceInProcess();
  const cwd = folderOf({ 'ageInDays.ts': 'export default 1' });
  const { exit, stderr } = await run(['run', 'ageInDays'], { env, cwd });
  expect(exit).toBe(3);
  expect(stderr).toContain('There is a file ageInDays.ts. To run it, run `vals run ageInDays.ts`.');
});

it.each(['run', 'val get', 'runs'])(
  'vals %s of a word that is too long for a file is not found',
  async (command) => {
    const { env } = await serviceInProcess();
    expect(await run([...command.split(' '), 'x'.repeat(300)], { env })).toMatchObject({ exit: 3 });
  },
);

/** Root may look into every folder. */
it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
  'vals run of a file in a locked folder is exit 10',
  async () => {
    const cwd = folderOf({ 'locked/a.ts': 'export default 1' });
    chmodSync(join(cwd, 'locked'), 0o600);
    expect(await run(['run', 'locked/a.ts'], { env: {}, cwd })).toMatchObject({ exit: 10 });
  },
);
