import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/features.ts';
import { folderOf, run, runOnScreen, writeFiles } from '../../support/program.ts';
import { pageOf, type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';

const hello = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const other = '4f2c0c1e-aaaa-4bd2-9a2e-1f1f3f0b9c22';
const me = '9a000000-0000-4000-8000-000000000001';

type Val = { id: string; name: string; owner?: string };

const record = ({ id, name, owner = me }: Val) => ({
  ...{ id, name, code: 'x', version: 3, privacy: 'private' },
  ...{ versionCreatedAt: '2026-01-02T03:04:05Z', author: { id: owner } },
});

/** A service whose vals a test can change, and a machine that uses it. */
async function serviceOf(vals: Val[], { hasList = true, listHasOwners = true } = {}) {
  const there = { vals };
  const likes: object[] = [];
  const listPage = (path: string): Reply => {
    if (!hasList) return { status: 405 };
    const mine = there.vals.filter(({ owner = me }) => owner === me).map(record);
    const vals = mine.map((val) => (listHasOwners ? val : { ...val, author: undefined }));
    return pageOf(vals, { path }, { hasLinks: true });
  };
  const service = await scriptedService([], ({ method, path, body }: Seen): Reply => {
    if (path === '/v1/me') return { body: { id: me, username: 'ada' } };
    if (path.startsWith('/v1/me/likes')) return { body: likes };
    if (path.startsWith(`/v1/users/${me}/vals`)) return listPage(path);
    if (method === 'PUT') return { body: record({ id: hello, name: JSON.parse(body).name }) };
    const [, id] = /^\/v1\/vals\/([^/?]+)/.exec(path) ?? [];
    const val = there.vals.find((val) => val.id === id);
    if (val === undefined) return { status: 404 };
    if (/versions$|runs\?/.test(path) && method === 'GET') return { body: [] };
    return method === 'DELETE' ? { status: 204 } : { body: record(val) };
  });
  const home = folderOf({ 'hello.ts': 'x' });
  return {
    home,
    env: service.env,
    likes,
    command: (...args: string[]) =>
      run(args, { env: { ...service.env, EDITOR: 'sh -c "echo edited > $1" sh' }, home }),
    replace(vals: Val[]) {
      there.vals = vals;
    },
    asked: () => service.requests.splice(0).map(({ method, path }) => `${method} ${path}`),
    seenFile: () => onlyFileIn(join(home, '.local/share/vals/seen')),
  };
}

function onlyFileIn(folder: string): string {
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
}

const list = `GET /v1/users/${me}/vals?limit=100&offset=0`;
const get = (id: string) => `GET /v1/vals/${id}`;
const runsOf = (id: string) => `${get(id)}/runs?limit=20&offset=0`;

describe('a name', () => {
  it.each([true, false])(
    "is found in the service's list, and is remembered from then on (the list has owners: %s)",
    async (listHasOwners) => {
      const { command, asked } = await serviceOf([{ id: hello, name: 'hello' }], { listHasOwners });
      expect(await command('val', 'get', 'hello')).toMatchObject({ exit: 0, stderr: '' });
      expect(asked()).toEqual(['GET /v1/me', list, get(hello)]);
      expect(await command('val', 'runs', 'hello')).toMatchObject({ exit: 0, stderr: '' });
      expect(asked()).toEqual([get(hello), runsOf(hello)]);
    },
  );

  it('of a val that was pushed or read by its id is found without a list, without another request', async () => {
    const { command, asked, env } = await serviceOf([{ id: hello, name: 'hello' }], { hasList: false });
    await command('push', 'hello.ts');
    const reader = folderOf({});
    await run(['val', 'get', hello], { env, home: reader });
    asked();
    expect(await command('val', 'get', 'hello')).toMatchObject({ exit: 0, stderr: '' });
    expect(asked()).toEqual([get(hello)]);
    expect(await run(['val', 'get', 'hello'], { env, home: reader })).toMatchObject({ exit: 0 });
  });

  it("is looked up only among the caller's own vals, and not among the vals that the caller likes", async () => {
    const { command, likes } = await serviceOf([{ id: hello, name: 'hello', owner: 'another' }]);
    likes.push({ id: hello, name: 'hello' });
    await command('val', 'get', hello);
    await command('likes', '--limit', '1');
    expect(await command('val', 'get', 'hello')).toMatchObject({ exit: 3 });
  });

  it.each([true, false])('that does not exist gives a suggestion (with a list: %s)', async (hasList) => {
    const { command, replace } = await serviceOf([{ id: hello, name: 'hello' }], { hasList });
    const messageOf = async () => (await command('val', 'get', 'helo', '--json')).error?.message;
    await command('me');
    await command('val', 'get', hello);
    expect(await messageOf()).toBe('There is no val named helo. Did you mean "hello"?');
    replace([]);
    if (!hasList) expect(await messageOf()).toBe('There is no val named helo.');
  });

  it.each<[route: 'me' | 'list' | 'a later page', Reply, exit: number]>([
    ['me', { status: 401 }, 4],
    ['me', { body: '<html></html>' }, 11],
    ['list', { status: 403 }, 4],
    ['list', { status: 302, headers: { location: '/x' } }, 11],
    ['list', { body: { vals: [] } }, 11],
    ['a later page', { status: 404 }, 3],
    ['a later page', { body: {} }, 11],
  ])('is not looked for further if %s is answered %j (exit %i)', async (route, reply, exit) => {
    const service = await scriptedService([], ({ path }): Reply => {
      if (path === '/v1/me') return route === 'me' ? reply : { body: { id: me } };
      if (route === 'list' || !path.includes('offset=0')) return reply;
      return { body: { data: [record({ id: hello, name: 'hello' })], links: { next: '?offset=1' } } };
    });
    expect(await run(['val', 'rm', 'other', '--yes'], service)).toMatchObject({ exit, stdout: '' });
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it.each<[string, Reply, Reply]>([
    ['404 of the list', { body: { id: me } }, { status: 404 }],
    ['405 of the list', { body: { id: me } }, { status: 405 }],
    ['501 of /v1/me', { status: 501 }, { status: 418 }],
    ['no id in /v1/me', { body: { username: 'ada' } }, { status: 418 }],
  ])('is unknown on a service without a list: %s', async (_what, ofMe, ofList) => {
    const service = await scriptedService([], ({ path }) => (path === '/v1/me' ? ofMe : ofList));
    const { exit, stderr } = await run(['val', 'get', 'hello'], { env: service.env });
    expect({ exit, stderr }).toEqual({ exit: 3, stderr: expect.stringContaining('cannot list vals') });
    expect(service.requests.length).toBeLessThanOrEqual(2);
  });

  it('needs a token, but a whole id does not', async () => {
    const { env, asked } = await serviceOf([{ id: hello, name: 'hello' }]);
    const signedOut = { env: { VALS_BASE_URL: env.VALS_BASE_URL } };
    expect(await run(['val', 'get', 'hello', '--json'], signedOut)).toMatchObject({
      exit: 4,
      error: { message: expect.stringMatching(/^The val "hello" .* no token for http:/) },
    });
    expect(asked()).toEqual([]);
    expect(await run(['val', 'get', hello, '--json'], signedOut)).toMatchObject({ exit: 0 });
  });

  it('that two vals have is refused, and both vals are shown', async () => {
    const { command, asked } = await serviceOf([hello, other].map((id) => ({ id, name: 'hello' })));
    const { exit, error } = await command('val', 'rm', 'hello', '--yes', '--json');
    expect({ exit, kind: error?.kind }).toEqual({ exit: 2, kind: 'usage' });
    for (const id of [hello, other]) expect(error?.message).toContain(id);
    expect(asked().filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  it.each<[string[], string[]]>([
    [['val', 'rm', 'hello', '--yes'], [`DELETE /v1/vals/${hello}`]],
    [['version', 'new', 'hello', 'hello.ts'], [`POST /v1/vals/${hello}/versions`]],
    [
      ['version', 'restore', 'hello', '1'],
      [`${get(hello)}/versions/1`, `POST /v1/vals/${hello}/versions`],
    ],
    [
      ['val', 'edit', 'hello'],
      [get(hello), get(hello), `POST /v1/vals/${hello}/versions`],
    ],
  ])('is confirmed by a read in %j, and an id is not', async (args, requests) => {
    const { command, asked } = await serviceOf([{ id: hello, name: 'hello' }], { hasList: false });
    for (const seeing of [['me'], ['val', 'get', hello]]) await command(...seeing);
    asked();
    expect(await command(...args)).toMatchObject({ exit: 0 });
    expect(asked()).toEqual([get(hello), ...requests]);
    await command(...args.map((word) => (word === 'hello' ? hello : word)));
    expect(asked()).toEqual(args[1] === 'get' ? [get(hello)] : requests);
  });
});

describe('the beginning of an id', () => {
  it.each<[string, number, RegExp]>([
    ['4f2c0c1e-6', 0, /hello/],
    ['4F2C0C1E-6A', 0, /hello/],
    ['4f2c0c1e', 2, new RegExp(`${hello} \\(hello\\) and ${other} \\(theirs\\)`)],
    ['4f2c0', 3, /no val named 4f2c0/],
  ])('%s: exit %i', async (word, exit, output) => {
    const { command } = await serviceOf([
      { id: hello, name: 'hello' },
      { id: other, name: 'theirs', owner: 'another' },
    ]);
    for (const id of [hello, other]) await command('val', 'get', id);
    const result = await command('val', 'get', word);
    expect(result.exit).toBe(exit);
    expect(result.stdout + result.stderr).toMatch(output);
  });

  it('is used only if no val of the caller has it as its name', async () => {
    const name = 'facade';
    const named = '11111111-6a53-4bd2-9a2e-1f1f3f0b9c11';
    const strangers = `${name}00-6a53-4bd2-9a2e-1f1f3f0b9c11`;
    const { command } = await serviceOf([
      { id: strangers, name: 'other', owner: 'another' },
      { id: named, name },
    ]);
    await command('val', 'get', strangers);
    const { stdout } = await command('val', 'get', name, '--json');
    expect(JSON.parse(stdout).id).toBe(named);
  });
});

describe('a remembered name that the val does not have any more', () => {
  const commands = [
    ['val', 'get', 'hello'],
    ...(has('run') ? [['run', 'hello']] : []),
    ...(has('workspace') ? [['pull', 'hello']] : []),
    ['val', 'rm', 'hello', '--yes'],
  ];

  it.each(commands)('vals %s %s uses the val that took the name, else exit 3', async (...args) => {
    const { command, asked, replace, home } = await serviceOf([{ id: hello, name: 'hello' }]);
    writeFiles(home, { 'vals.json': '{}' });
    rmSync(join(home, 'hello.ts'));
    await command('ls');
    const bye = { id: hello, name: 'bye' };
    replace([bye]);
    asked();
    const { exit, stdout, error } = await command('--json', ...args);
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' });
    expect(error?.message).toMatch(
      /^There is no val named hello(?: any more: it is named "bye" on the service)?\.$/,
    );
    expect(asked().filter((line) => !line.startsWith('GET /v1/'))).toEqual([]);
    replace([bye, { id: other, name: 'hello' }]);
    await command('--json', ...args);
    const requests = asked().filter((line) => line.includes('/v1/vals/') && line !== get(hello));
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) expect(request).toContain(other);
  });
});

describe("<owner>/<name> is another owner's val", () => {
  it.each(['bob/greet', '@bob/greet'])('%s, and exit 3 where the service does not have it', async (word) => {
    const val = { ...record({ id: other, name: 'greet', owner: 'bob-id' }), code: 'of bob' };
    const service = await scriptedService([], ({ path }) => {
      if (path === '/v1/me') return { body: { id: me, username: 'ada' } };
      return path === '/v1/alias/bob/greet' || path === `/v1/vals/${other}` ? { body: val } : { status: 404 };
    });
    const cwd = folderOf({ 'vals.json': '{}' });
    const { stdout } = await run(['val', 'get', word, '--code'], { cwd, env: service.env });
    expect(stdout).toBe('of bob');
    if (has('workspace')) {
      expect(await run(['pull', word], { cwd, env: service.env })).toMatchObject({ exit: 0 });
      expect(readFileSync(join(cwd, 'greet.ts'), 'utf8')).toBe('of bob');
    }
    const unknown = await run(['val', 'get', 'bob/other'], { cwd, env: service.env });
    expect(unknown).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('There is no val named bob/other.'),
    });
  });
});

describe('the file of remembered vals', () => {
  async function remembered() {
    const service = await serviceOf([{ id: hello, name: 'hello' }], { hasList: false });
    await service.command('me');
    await service.command('val', 'get', hello);
    return { ...service, content: () => readFileSync(service.seenFile(), 'utf8') };
  }

  it('does not keep a token that the service repeats as the id of the caller', async () => {
    const service = await scriptedService([], ({ path }): Reply => {
      if (path === '/v1/me') return { body: { id: service.env.VALS_TOKEN } };
      return { body: record({ id: hello, name: 'hello' }) };
    });
    const home = folderOf({});
    for (const args of [['me'], ['val', 'get', hello]]) await run(args, { ...service, home });
    const content = readFileSync(onlyFileIn(join(home, '.local/share/vals/seen')), 'utf8');
    expect(content).toContain(hello);
    expect(content).not.toContain(service.env.VALS_TOKEN);
  });

  it('is readable by its owner alone, holds no token, and is not used with another token', async () => {
    const { env, home, seenFile, content } = await remembered();
    expect(statSync(seenFile()).mode & 0o777).toBe(0o600);
    expect(content()).toContain(hello);
    expect(content()).not.toContain(env.VALS_TOKEN);
    const another = { ...env, VALS_TOKEN: 'another-token' };
    expect(await run(['val', 'get', 'hello'], { env: another, home })).toMatchObject({ exit: 3 });
  });

  it.each(['deleted', 'answered 404'])('forgets a val that was %s', async (how) => {
    const { command, replace, content } = await remembered();
    if (how === 'deleted') await command('val', 'rm', hello, '--yes');
    replace([]);
    if (how !== 'deleted') await command('val', 'get', hello);
    expect(content()).not.toContain(hello);
  });

  it('keeps the latest 10,000 vals', async () => {
    const { command, seenFile, content } = await remembered();
    const many = Array.from({ length: 10_000 }, (_, index) => ({ id: `id-${index}`, name: 'hello' }));
    writeFileSync(seenFile(), JSON.stringify({ me, vals: many }));
    await command('val', 'get', hello);
    const { vals } = JSON.parse(content());
    expect([vals.length, vals[0].id, vals.at(-1).id]).toEqual([10_000, 'id-1', hello]);
  });

  it('counts as empty if it is corrupt', async () => {
    const { command, seenFile } = await serviceOf([{ id: hello, name: 'hello' }]);
    await command('me');
    writeFileSync(seenFile(), '{"vals":[{}]}');
    expect(await command('val', 'get', 'hello')).toMatchObject({ exit: 0, stderr: '' });
  });

  it.skipIf(process.platform === 'win32').each([
    { what: 'its folder is a file', env: { VALS_DATA_DIR: '/dev/null' } },
    { what: 'there is no home', env: { HOME: '' } },
  ])('is not required: a command works if $what', async ({ env }) => {
    const service = await serviceOf([{ id: hello, name: 'hello' }]);
    const result = await run(['val', 'get', hello], { env: { ...service.env, ...env } });
    expect(result).toMatchObject({ exit: 0, stderr: '' });
  });
});

describe('vals ls', () => {
  const namesIn = ({ stdout }: { stdout: string }) =>
    JSON.parse(stdout)
      .map(({ name }: { name: string }) => name)
      .sort();

  it("shows the service's list page by page", async () => {
    const vals = [hello, other].map((id) => ({ id, name: id.slice(9, 13) }));
    const { command, asked } = await serviceOf(vals);
    const { stdout, stderr } = await command('ls', '--limit', '1');
    expect(stdout).toBe(`6a53\tprivate\t3\t2026-01-02T03:04:05Z\t${hello}\n`);
    expect(stderr).toContain('There are more records.');
    expect(asked()).toEqual(['GET /v1/me', `GET /v1/users/${me}/vals?limit=1&offset=0`]);
    expect(JSON.parse((await command('list', '--json')).stdout)).toHaveLength(2);
  });

  it('shows the remembered vals if the service has no list, and says so', async () => {
    const { command } = await serviceOf([{ id: hello, name: 'hello' }], { hasList: false });
    await command('me');
    await command('val', 'get', hello);
    const { exit, stdout, stderr } = await command('ls');
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `hello\t\t3\t\t${hello}\n` });
    expect(stderr).toContain('The service cannot list vals.');
    expect((await command('ls', 'absent', '--json')).stdout).toBe('[]\n');
  });

  it('finds vals whose names contain the word', async () => {
    const { env, edit } = await startStrict({ list: true });
    for (const name of ['getPrice', 'cart', 'hello', 'price']) edit(name, 'code');
    const ls = async (...args: string[]) => namesIn(await run(['ls', ...args, '--json'], { env }));
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
