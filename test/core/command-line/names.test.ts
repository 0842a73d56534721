import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/features.ts';
import { folderOf, run, runOnScreen, writeFiles } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';
import { usualFields } from '../../support/strict/switches.ts';
import { startStrict } from '../../support/strict-service.ts';

const hello = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const other = '4f2c0c1e-aaaa-4bd2-9a2e-1f1f3f0b9c22';

/** A service with the val `hello` of the caller, and a machine that uses it. */
async function serviceOf({ hasList = true } = {}) {
  const service = await startStrict({ list: hasList, privacy: 'public' });
  service.edit('hello', 'x', { id: hello });
  const home = folderOf({ 'hello.ts': 'y' });
  const EDITOR = 'sh -c "echo edited > $1" sh';
  return {
    ...service,
    home,
    list: `GET /v1/users/${service.ada().id}/vals?limit=100&offset=0`,
    bob: service.addPerson('bob').person,
    command: (...args: string[]) => run(args, { env: { ...service.env, EDITOR }, home }),
    asked: () => service.requests.splice(0).map(({ method, path }) => `${method} ${path}`),
    seenFile: () => onlyFileIn(join(home, '.local/share/vals/seen')),
  };
}

/** Afterwards the machine knows the name of the val, and who the caller is. */
async function afterSeeing({ hasList = false, authors = true } = {}) {
  const service = await serviceOf({ hasList });
  service.switches.authors = authors;
  for (const args of [['me'], ['val', 'get', hello]]) await service.command(...args);
  service.asked();
  return { ...service, content: () => readFileSync(service.seenFile(), 'utf8') };
}

function onlyFileIn(folder: string): string {
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
}

const get = (id: string) => `GET /v1/vals/${id}`;

describe('a name', () => {
  it.each([true, false])(
    "is found in the service's list, and is remembered from then on (the list has owners: %s)",
    async (listHasOwners) => {
      const { command, asked, list, switches, handle } = await serviceOf();
      switches.instead = (seen) => {
        if (listHasOwners || !seen.path.startsWith('/v1/users')) return undefined;
        return { body: JSON.parse(JSON.stringify(handle(seen).body).replaceAll('"author"', '"by"')) };
      };
      expect(await command('val', 'get', 'hello')).toMatchObject({ exit: 0, stderr: '' });
      expect(asked()).toEqual(['GET /v1/me', list, get(hello), `${get(hello)}/versions`]);
      expect(await command('val', 'runs', 'hello')).toMatchObject({ exit: 0, stderr: '' });
      expect(asked()).toEqual([get(hello), `${get(hello)}/runs?limit=20&offset=0`]);
    },
  );

  it('of a val that was pushed or read by its id is found without a list, without another request', async () => {
    const { command, asked, env } = await serviceOf({ hasList: false });
    await command('push', 'hello.ts');
    const reader = folderOf({});
    await run(['val', 'get', hello], { env, home: reader });
    asked();
    expect(await command('val', 'get', 'hello', '--code')).toMatchObject({ exit: 0, stderr: '' });
    expect(asked()).toEqual([get(hello)]);
    expect(await run(['val', 'get', 'hello'], { env, home: reader })).toMatchObject({ exit: 0 });
  });

  it('of a val that nobody told the owner of is found by its name, after those that are mine', async () => {
    const { command, asked, list, edit, bob } = await afterSeeing({ authors: false });
    expect(await command('val', 'get', 'hello', '--code')).toMatchObject({ exit: 0 });
    expect(asked()).toEqual([list, 'GET /v1/me', get(hello)]);
    const idsListed = async () =>
      JSON.parse((await command('ls', '--json')).stdout).map(({ id }: { id: string }) => id);
    expect(await idsListed()).toEqual([hello]);
    edit('hello', 'of bob', { owner: bob, id: other });
    await command('val', 'get', other, '--json');
    expect((await command('val', 'get', 'hello', '--code')).exit).toBe(2);
    await command('version', 'new', hello, 'hello.ts');
    expect((await command('val', 'get', 'hello', '--code')).stdout).toBe('y');
    expect(await idsListed()).toEqual([hello, other]);
  });

  it("is looked up only among the caller's own vals, and not among the vals that the caller likes", async () => {
    const { command, switches, edit, bob } = await serviceOf();
    const { id } = edit('liked', 'x', { owner: bob });
    switches.authors = true;
    switches.instead = ({ path }) =>
      path.startsWith('/v1/me/likes') ? { body: [{ id, name: 'liked' }] } : undefined;
    expect(await command('val', 'get', id)).toMatchObject({ exit: 0 });
    await command('likes', '--limit', '1');
    expect(await command('val', 'get', 'liked')).toMatchObject({ exit: 3 });
  });

  it.each([true, false])('that does not exist gives a suggestion (with a list: %s)', async (hasList) => {
    const { command } = await afterSeeing({ hasList });
    const { error } = await command('val', 'get', 'helo', '--json');
    expect(error?.message).toBe('There is no val named helo. Did you mean "hello"?');
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
    const { command, switches, writes } = await serviceOf();
    switches.instead = ({ path }) => {
      if (path === '/v1/me') return route === 'me' ? reply : undefined;
      if (route === 'list' || !path.includes('offset=0')) return reply;
      return { body: { data: [{ id: hello, name: 'hello' }], links: { next: '?offset=1' } } };
    };
    expect(await command('val', 'rm', 'other', '--yes')).toMatchObject({ exit, stdout: '' });
    expect(writes()).toEqual([]);
  });

  it.each<[string, Reply, Reply]>([
    ['404 of the list', { body: { id: 'me' } }, { status: 404 }],
    ['405 of the list', { body: { id: 'me' } }, { status: 405 }],
    ['501 of /v1/me', { status: 501 }, { status: 418 }],
    ['no id in /v1/me', { body: { username: 'ada' } }, { status: 418 }],
  ])('is unknown on a service without a list: %s', async (_what, ofMe, ofList) => {
    const service = await scriptedService([], ({ path }) => (path === '/v1/me' ? ofMe : ofList));
    const { exit, stderr } = await run(['val', 'get', 'hello'], { env: service.env });
    expect({ exit, stderr }).toEqual({ exit: 3, stderr: expect.stringContaining('cannot list vals') });
    expect(service.requests.length).toBeLessThanOrEqual(2);
  });

  it('needs a token, but a whole id does not', async () => {
    const { baseUrl, asked } = await serviceOf();
    const signedOut = { env: { VALS_BASE_URL: baseUrl } };
    expect(await run(['val', 'get', 'hello', '--json'], signedOut)).toMatchObject({
      exit: 4,
      error: { message: expect.stringMatching(/^The val "hello" .* no token for http:/) },
    });
    expect(asked()).toEqual([]);
    expect(await run(['val', 'get', hello, '--json'], signedOut)).toMatchObject({ exit: 0 });
  });

  it('that two vals have is refused, and both vals are shown', async () => {
    const { command, edit, rename, writes } = await serviceOf();
    const { id } = edit('other', 'x');
    rename('other', 'hello');
    const { exit, error } = await command('val', 'rm', 'hello', '--yes', '--json');
    expect({ exit, kind: error?.kind }).toEqual({ exit: 2, kind: 'usage' });
    for (const each of [hello, id]) expect(error?.message).toContain(each);
    expect(writes()).toEqual([]);
  });

  it.each<[args: string, requests: string[]]>([
    ['val rm hello --yes', [`DELETE /v1/vals/${hello}`]],
    ['version new hello hello.ts', [`POST /v1/vals/${hello}/versions`]],
    ['version restore hello 1', [`${get(hello)}/versions/1`, `POST /v1/vals/${hello}/versions`]],
  ])('is confirmed by a read in vals %s, and an id is not', async (line, requests) => {
    const { command, asked } = await afterSeeing();
    expect(await command(...line.split(' '), '--json')).toMatchObject({ exit: 0 });
    expect(asked()).toEqual([get(hello), ...requests]);
    const second = await afterSeeing();
    await second.command(...line.replace(' hello', ` ${hello}`).split(' '), '--json');
    expect(second.asked()).toEqual(requests);
  });

  it.each(['hello', hello])('is read once before vals val edit %s opens the editor', async (word) => {
    const { command, asked } = await afterSeeing();
    expect(await command('val', 'edit', word, '--json')).toMatchObject({ exit: 0 });
    expect(asked()).toEqual([get(hello), get(hello), `POST /v1/vals/${hello}/versions`]);
  });
});

describe('the beginning of an id', () => {
  it.each<[string, number, RegExp]>([
    ['4f2c0c1e-6', 0, /hello/],
    ['4F2C0C1E-6A', 0, /hello/],
    ['4f2c0c1e', 2, new RegExp(`${hello} \\(hello\\) and ${other} \\(theirs\\)`)],
    ['4f2c0', 3, /no val named 4f2c0/],
  ])('%s: exit %i', async (word, exit, output) => {
    const { command, edit, bob } = await afterSeeing({ hasList: true });
    edit('theirs', 'x', { owner: bob, id: other });
    await command('val', 'get', other);
    const result = await command('val', 'get', word);
    expect(result.exit).toBe(exit);
    expect(result.stdout + result.stderr).toMatch(output);
  });

  it('is used only if no val of the caller has it as its name', async () => {
    const { command, edit, bob } = await serviceOf();
    const strangers = edit('other', 'x', { owner: bob, id: 'facade00-6a53-4bd2-9a2e-1f1f3f0b9c11' });
    const named = edit('facade', 'x');
    await command('val', 'get', strangers.id);
    const { stdout } = await command('val', 'get', 'facade', '--json');
    expect(JSON.parse(stdout).id).toBe(named.id);
  });
});

const commands = [
  ['val', 'get', 'hello'],
  ...(has('run') ? [['run', 'hello']] : []),
  ...(has('workspace') ? [['pull', 'hello']] : []),
  ['val', 'rm', 'hello', '--yes'],
];

it.each(commands)(
  'a remembered name that the val does not have any more vals %s %s uses the val that took the name, else exit 3',
  async (...args) => {
    const { command, asked, rename, edit, home } = await serviceOf();
    writeFiles(home, { 'vals.json': '{}' });
    rmSync(join(home, 'hello.ts'));
    await command('ls');
    rename('hello', 'bye');
    asked();
    const { exit, stdout, error } = await command('--json', ...args);
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' });
    expect(error?.message).toMatch(
      /^There is no val named hello(?: any more: it is named "bye" on the service)?\.$/,
    );
    expect(asked().filter((line) => !line.startsWith('GET /v1/'))).toEqual([]);
    edit('hello', 'x', { id: other });
    await command('--json', ...args);
    const requests = asked().filter((line) => line.includes('/v1/vals/') && line !== get(hello));
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) expect(request).toContain(other);
  },
);

it.each(['bob/greet', '@bob/greet'])(
  '%s is the val of that owner, where the service has it',
  async (word) => {
    const { env, edit, switches, bob } = await serviceOf();
    edit('greet', 'of bob', { owner: bob });
    const cwd = folderOf({ 'vals.json': '{}' });
    expect(await run(['val', 'get', word], { cwd, env })).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining(`There is no val named ${word}.`),
    });
    switches.alias = true;
    expect((await run(['val', 'get', word, '--code'], { cwd, env })).stdout).toBe('of bob');
    if (!has('workspace')) return;
    expect(await run(['pull', word], { cwd, env })).toMatchObject({ exit: 0 });
    expect(readFileSync(join(cwd, 'greet.ts'), 'utf8')).toBe('of bob');
  },
);

describe('the file of remembered vals', () => {
  it('does not keep a token that the service repeats as the id of the caller', async () => {
    const { command, switches, token, seenFile } = await serviceOf();
    switches.instead = ({ path }) => (path === '/v1/me' ? { body: { id: token } } : undefined);
    for (const args of [['me'], ['val', 'get', hello]]) await command(...args);
    const content = readFileSync(seenFile(), 'utf8');
    expect(content).toContain(hello);
    expect(content).not.toContain(token);
  });

  it('is readable by its owner alone, holds no token, and is not used with another token', async () => {
    const { env, token, home, seenFile, content, addPerson } = await afterSeeing();
    expect(statSync(seenFile()).mode & 0o777).toBe(0o600);
    expect(content()).toContain(hello);
    expect(content()).not.toContain(token);
    const another = { ...env, VALS_TOKEN: addPerson('eve').token };
    expect(await run(['val', 'get', 'hello'], { env: another, home })).toMatchObject({ exit: 3 });
  });

  it.each(['deleted', 'answered 404'])('forgets a val that was %s', async (how) => {
    const { command, remove, content } = await afterSeeing();
    if (how === 'deleted') await command('val', 'rm', hello, '--yes');
    else remove('hello');
    if (how !== 'deleted') await command('val', 'get', hello);
    expect(content()).not.toContain(hello);
  });

  it('keeps the latest 10,000 vals', async () => {
    const { command, seenFile, content, ada } = await afterSeeing();
    const many = Array.from({ length: 10_000 }, (_, index) => ({ id: `id-${index}`, name: 'hello' }));
    writeFileSync(seenFile(), JSON.stringify({ me: ada().id, vals: many }));
    await command('val', 'get', hello);
    const { vals } = JSON.parse(content());
    expect([vals.length, vals[0].id, vals.at(-1).id]).toEqual([10_000, 'id-1', hello]);
  });

  it('counts as empty if it is corrupt', async () => {
    const { command, seenFile } = await afterSeeing({ hasList: true });
    writeFileSync(seenFile(), '{"vals":[{}]}');
    expect(await command('val', 'get', 'hello')).toMatchObject({ exit: 0, stderr: '' });
  });

  it.skipIf(process.platform === 'win32').each([
    { what: 'its folder is a file', env: { VALS_DATA_DIR: '/dev/null' } },
    { what: 'there is no home', env: { HOME: '' } },
  ])('is not required: a command works if $what', async ({ env }) => {
    const service = await serviceOf();
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
    const { command, asked, edit, ada, switches } = await serviceOf();
    Object.assign(switches, usualFields);
    const { id, versions } = edit('second', 'x');
    const { stdout, stderr } = await command('ls', '--limit', '1');
    expect(stdout).toBe(`second\tpublic\t1\t${versions[0]?.createdAt}\t${id}\n`);
    expect(stderr).toContain('There are more records.');
    expect(asked()).toEqual(['GET /v1/me', `GET /v1/users/${ada().id}/vals?limit=1&offset=0`]);
    expect(namesIn(await command('list', '--json'))).toEqual(['hello', 'second']);
  });

  it('shows the remembered vals if the service has no list, and says so', async () => {
    const { command } = await afterSeeing();
    const { exit, stdout, stderr } = await command('ls');
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `hello\t\t1\t\t${hello}\n` });
    expect(stderr).toContain('The service cannot list vals.');
    expect(stderr).not.toContain('base URL');
    expect((await command('ls', 'absent', '--json')).stdout).toBe('[]\n');
  });

  it('finds vals whose names contain the word, and counts --limit and --offset among them', async () => {
    const { env, edit, command } = await serviceOf();
    for (const name of ['getPrice', 'cart', 'price', 'priced']) edit(name, 'code');
    const ls = async (...args: string[]) => JSON.parse((await command('ls', ...args, '--json')).stdout);
    const all: { name: string }[] = await ls('price');
    expect(all.map(({ name }) => name).sort()).toEqual(['getPrice', 'price', 'priced']);
    expect(await ls('price', '--limit', '2', '--offset', '1')).toEqual(all.slice(1, 3));
    expect(await ls('absent')).toEqual([]);
    const screenOf = async (...args: string[]) => (await runOnScreen(['ls', ...args], { env })).screen;
    expect(await screenOf('absent')).toContain('None of your vals has the word in its name.');
    expect(await screenOf('price', '--limit', '2')).toContain('There are more');
  });
});
