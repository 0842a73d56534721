import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf, run, writeFiles } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { pushed } from './places.ts';

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

it('paths are relative to the current folder', async () => {
  const { command, asked, home } = await known();
  for (const word of ['mail.ts', '../lib/mail.ts'])
    expect(await command(['val', 'get', word], join(home, 'lib'))).toMatchObject({ exit: 0 });
  expect(new Set(asked())).toEqual(new Set([`GET /v1/vals/${id}`]));
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
