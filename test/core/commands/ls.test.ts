import { describe, expect, it } from 'vitest';
import { serviceInProcess } from '../../service/support/service-in-process.ts';
import { folderOf, run, runOnScreen } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
import { id, pushCode } from './pushes.ts';

const names = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout)
    .map(({ name }: { name: string }) => name)
    .sort();

async function push(env: Record<string, string>, vals: Record<string, string>) {
  for (const [name, code] of Object.entries(vals)) await pushCode(env, name, code);
}

describe('vals ls on a service with a search', () => {
  it('finds vals whose names or code contain all words', async () => {
    const { env } = await serviceInProcess();
    await push(env, { getPrice: 'x', cart: 'price * 2', hello: 'y', list: 'cart.price' });
    const ls = async (...args: string[]) => names(await run(['ls', ...args, '--json'], { env }));
    expect(await ls('price')).toEqual(['cart', 'getPrice', 'list']);
    expect(await ls('price', 'cart')).toEqual(['cart', 'list']);
    expect(await ls('absent')).toEqual([]);
    await run(['val', 'set', 'cart', '--privacy', 'public'], { env });
    expect(await ls('--privacy', 'public')).toEqual(['cart']);
    expect(await ls('price', '--privacy', 'private')).toEqual(['getPrice', 'list']);
    expect((await runOnScreen(['ls', 'absent'], { env })).screen).toContain(
      'None of your vals matches your search.',
    );
  });

  it('counts --limit and --offset among the vals that match', async () => {
    const { env } = await serviceInProcess();
    await push(
      env,
      Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`${i % 2 ? 'odd' : 'even'}${i}`, 'c'])),
    );
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
  const others = { id: '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c12', name: 'price', author: { id: 'you' } };
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

  it("leaves out other people's vals that the search finds", async () => {
    const search = { '/v1/search/vals': [mine, others] };
    const service = await scriptedService([], answers(search));
    expect(names(await run(['ls', 'price', '--json'], service))).toEqual(['getPrice']);
    const list = [mine, { ...mine, id: 'x', name: 'other', code: 'price' }];
    const withList = await scriptedService([], answers({ ...search, '/v1/users/me/vals': list }));
    const found = await run(['ls', 'price', '--json'], withList);
    expect(names(found)).toEqual(['getPrice']);
    expect(found.stderr).toContain('only with the names');
    expect(withList.requests.map(({ path }) => path.replace(/\?.*/, ''))).toContain('/v1/users/me/vals');
  });

  it('without a search compares names, and says so', async () => {
    const unrelated = Array.from({ length: 60 }, (_, index) => ({ ...mine, id: `${index}`, name: 'x' }));
    const list = [...unrelated, mine, { ...mine, id: 'x', name: 'other', privacy: 'public' }];
    const service = await scriptedService([], answers({ '/v1/users/me/vals': list }));
    const found = await run(['ls', 'PRICE', '--json'], service);
    expect(names(found)).toEqual(['getPrice']);
    expect(found.stderr).toContain('only with the names');
    expect(names(await run(['ls', '--privacy', 'public', '--json'], service))).toEqual(['other']);
  });

  it('without a list searches the remembered vals', async () => {
    const service = await scriptedService([], answers({}));
    const result = await run(['ls', 'price', '--json'], service);
    expect(result).toMatchObject({ exit: 0, stdout: '[]\n' });
    expect(result.stderr).toContain('The service cannot list vals.');
    expect((await runOnScreen(['ls'], service)).screen).toContain('You have no vals yet.');
  });
});

describe('vals val get NAME@VERSION', () => {
  it('shows the whole version, or only its code', async () => {
    const { env } = await serviceInProcess();
    await pushCode(env, 'hello', 'one', 'two');
    const get = (...args: string[]) => run(['val', 'get', ...args], { env });
    const version = JSON.parse((await get('hello@1', '--json')).stdout);
    expect(version).toMatchObject({ name: 'hello', version: 1, code: 'one' });
    expect((await get('hello@1', '--code')).stdout).toBe('one');
    expect((await get('hello@2', '--code')).stdout).toBe('two');
    const { id } = JSON.parse((await get('hello', '--json')).stdout);
    expect((await get(`${id}@1`, '--code')).stdout).toBe('one');
    const absent = await get('hello@9');
    expect(absent).toMatchObject({ exit: 3, stdout: '' });
    expect(absent.stderr).toContain('no version 9');
    expect((await get('nobody@1')).exit).toBe(3);
  });
});
