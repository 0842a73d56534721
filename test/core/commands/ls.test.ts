import { describe, expect, it } from 'vitest';
import { folderOf, run, runOnScreen } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { id } from './pushes.ts';

const names = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout)
    .map(({ name }: { name: string }) => name)
    .sort();

describe('vals ls on a service with a list', () => {
  it('finds vals whose names contain the word', async () => {
    const { env, edit } = await startStrict({ list: true });
    for (const name of ['getPrice', 'cart', 'hello', 'price']) edit(name, 'code');
    const ls = async (...args: string[]) => names(await run(['ls', ...args, '--json'], { env }));
    expect(await ls('price')).toEqual(['getPrice', 'price']);
    expect(await ls('absent')).toEqual([]);
    expect((await runOnScreen(['ls', 'absent'], { env })).screen).toContain(
      'None of your vals has the word in its name.',
    );
  });

  it('counts --limit and --offset among the vals that match', async () => {
    const { env, edit } = await startStrict({ list: true });
    for (let i = 0; i < 6; i += 1) edit(`${i % 2 ? 'odd' : 'even'}${i}`, 'code');
    const all = JSON.parse((await run(['ls', 'odd', '--json'], { env })).stdout);
    expect(all).toHaveLength(3);
    const some = await run(['ls', 'odd', '--limit', '2', '--offset', '1', '--json'], { env });
    expect(JSON.parse(some.stdout)).toEqual(all.slice(1, 3));
    const { screen } = await runOnScreen(['ls', 'odd', '--limit', '2'], { env });
    expect(screen).toContain('There are more');
  });
});

describe('vals ls on another service', () => {
  const mine = { id, name: 'getPrice', author: { id: 'me' } };
  const answers =
    (routes: Record<string, unknown>) =>
    ({ path }: Seen): Reply => {
      const body = { '/v1/me': { id: 'me' }, ...routes }[path.replace(/\?.*/, '')];
      return body === undefined ? { status: 404 } : { body };
    };

  it('asks who the caller is if the remembered person is not there any more', async () => {
    let me = 'before';
    const service = await scriptedService([], ({ path }) => {
      if (path === '/v1/me') return { body: { id: me } };
      return path.startsWith(`/v1/users/${me}/`) ? { body: [{ ...mine, name: me }] } : { status: 404 };
    });
    const home = folderOf({});
    const ls = async () => names(await run(['ls', '--json'], { ...service, home }));
    expect(await ls()).toEqual(['before']);
    me = 'after';
    expect(await ls()).toEqual(['after']);
  });

  it('says in a pipe that there are more vals than it lists', async () => {
    const data = [1, 2, 3].map((index) => ({ id: `${id.slice(0, -1)}${index}`, name: `val${index}` }));
    const service = await scriptedService([], answers({ '/v1/users/me/vals': { data } }));
    const list = (...args: string[]) => run(['ls', '--limit', '2', '--json', ...args], service);
    expect((await list()).stderr).toBe('There are more records. To see them, add --limit N or --all.\n');
    expect((await list('--quiet')).stderr).toBe('');
  });

  it('without a list looks among the remembered vals', async () => {
    const service = await scriptedService([], answers({}));
    const result = await run(['ls', 'price', '--json'], service);
    expect(result).toMatchObject({ exit: 0, stdout: '[]\n' });
    expect(result.stderr).toContain('The service cannot list vals.');
    expect((await runOnScreen(['ls'], service)).screen).toContain('This machine has seen none of your vals.');
  });
});
