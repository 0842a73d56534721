import { describe, expect, it } from 'vitest';
import { folderOf, run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

/** A service without a list whose val this machine has seen. */
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
  const home = folderOf({ 'mail.ts': 'x' });
  const command = (args: string[]) =>
    run(args, { cwd: home, home, env: { ...service.env, EDITOR: 'sh -c "echo edited > $1" sh' } });
  for (const args of [['me'], ['val', 'get', id]]) await command(args);
  service.requests.length = 0;
  const asked = () => service.requests.splice(0).map(({ method, path }) => `${method} ${path}`);
  return { command, asked };
}

const read = `GET /v1/vals/${id}`;

describe('a name stands for the val, which is read to confirm the name', () => {
  it.each<[string[], string[]]>([
    [['val', 'get', 'hello'], []],
    [['runs', 'hello'], [`${read}/runs?limit=20&offset=0`]],
    [['version', 'ls', 'hello'], [`${read}/versions`]],
    [['val', 'rm', 'hello', '--yes'], [`DELETE /v1/vals/${id}`]],
    [['version', 'new', 'hello', 'mail.ts'], [`POST /v1/vals/${id}/versions`]],
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
});

it.each(['val get', 'runs'])(
  'vals %s of a word that is too long for a file is not found',
  async (command) => {
    const { env } = await startStrict({ list: true });
    expect(await run([...command.split(' '), 'x'.repeat(300)], { env })).toMatchObject({ exit: 3 });
  },
);
