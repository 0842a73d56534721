import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore, startService } from '../../../src/service/start-service.ts';
import { createPerson } from '../../../src/service/store/people.ts';
import { createSpace } from '../../../src/service/store/spaces.ts';
import { ends, run, runOnScreen, temporaryFolder } from '../../support/program.ts';
import { type Client, clientOf, newPlace } from '../support.ts';

const tokenForm = /^vals_[\w-]{43}$/;

async function newStore() {
  const at = await newPlace();
  const vals = (...words: string[]) => run([...words, '--data', at]);
  return {
    at,
    vals,
    json: async (...words: string[]) => JSON.parse((await vals(...words, '--json')).stdout),
    answer: (keys: string, ...words: string[]) =>
      runOnScreen([...words, '--data', at], { answers: [{ after: '[y/N]', keys }] }),
    async serve<Result>(token: string, work: (client: Client) => Promise<Result>): Promise<Result> {
      const { baseUrl, close } = await startService({ file: at, port: 0 });
      return work(clientOf({ baseUrl, token })).finally(close);
    },
  };
}

test('a person is added with a token that works and is shown once', async () => {
  const { vals, serve } = await newStore();
  const { exit, stdout, stderr } = await vals('user', 'add', 'ada', '--json');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringMatching(/^Created the store .+\.\n$/) });
  const { id, token } = JSON.parse(stdout);
  expect(JSON.parse(stdout)).toEqual({ id, username: 'ada', token: expect.stringMatching(tokenForm) });
  expect(await serve(token, ({ get }) => get('/v1/me'))).toMatchObject({ id, username: 'ada' });
  expect((await vals('user', 'ls', '--json')).stdout).not.toContain(token);
  const bob = await vals('user', 'add', 'bob');
  expect(bob).toMatchObject({ stderr: '', stdout: expect.stringMatching(/^bob\t[0-9a-f-]{36}\tvals_/) });
});

test('a person who owns vals is removed only with the vals, after a question, and a dry run removes nobody', async () => {
  const { vals, json, answer, serve } = await newStore();
  const { id, token } = await json('user', 'add', 'zoe');
  await vals('user', 'add', 'ada');
  await serve(token, ({ createVal }) => createVal({ name: 'v', code: 'c' }));
  const people = await json('user', 'ls');
  expect(people).toMatchObject([
    { username: 'ada' },
    { username: 'local', vals: 0 },
    { username: 'zoe', vals: 1 },
  ]);
  const refused = await vals('user', 'rm', 'zoe', '--yes', '--json');
  expect(refused).toMatchObject({ exit: 5, stdout: '', error: { kind: 'conflict' } });
  expect(refused.error?.message).toBe('zoe was not removed, because zoe still owns v.');
  expect(refused.error?.hint).toMatch(/ a token of zoe \(`vals clone`\).* --with-vals/);
  expect(await vals('user', 'rm', 'zoe', '--dry-run')).toMatchObject({ exit: 5, stdout: '' });
  const rm = ['user', 'rm', 'zoe', '--with-vals'];
  expect(await json(...rm, '--dry-run')).toEqual([{ id, username: 'zoe', status: 'planned' }]);
  expect(await vals(...rm)).toMatchObject({ exit: 2, stdout: '' });
  expect(await answer('n\r', ...rm)).toMatchObject({
    exit: 2,
    screen: expect.stringContaining('Remove zoe and 1 val, with all versions?'),
  });
  expect(await json('user', 'ls')).toEqual(people);
  expect(await json(...rm, '--yes')).toEqual([{ id, username: 'zoe', status: 'deleted' }]);
  expect((await answer('y\r', 'user', 'rm', 'ada')).exit).toBe(0);
  expect(await json('user', 'ls')).toHaveLength(1);
});

test('the tokens of each person are listed, and one of them is ended after a question', async () => {
  const { vals, json, answer, serve } = await newStore();
  const { token } = await json('user', 'add', 'ada');
  await vals('user', 'add', 'bob');
  await vals('space', 'add', 'acme');
  await vals('space', 'grant', 'acme', 'ada');
  const add = (path: string, body: object) =>
    serve(
      token,
      async ({ ask }) => (await ask('POST', `${path}/v1/me/tokens`, { body })).body as { id: string },
    );
  const deploying = await add('', { name: 'ci', access: 'deploy' });
  const { id } = await add('/@acme', { name: 'ci' });
  await add('', { name: 'laptop' });
  const limits = { access: 'full', space: null, lastUsedAt: null, expiresAt: null };
  const [ada, bob] = await json('user', 'ls');
  expect(ada.tokens).toEqual([
    { ...limits, name: 'ci', access: 'deploy' },
    { ...limits, name: 'ci', space: 'acme' },
    { ...limits, name: 'first', lastUsedAt: expect.any(String) },
    { ...limits, name: 'laptop' },
  ]);
  expect(bob.tokens).toEqual([{ ...limits, name: 'first' }]);
  expect((await vals('user', 'ls')).stdout).toContain('ada\t0\tci (deploy), ci (for acme), first, laptop\t');
  const end = (word: string) => ['user', 'token', 'ada', '--end', word];
  expect(await vals(...end('laptop'))).toMatchObject(ends(2, '--yes'));
  const asked = await answer('n\r', ...end('laptop'));
  expect(asked).toMatchObject({
    exit: 2,
    screen: expect.stringContaining('End the token laptop of ada?'),
  });
  expect(await vals(...end('ci'), '--yes')).toMatchObject(ends(2, `${id} (for the space acme)`));
  expect(await vals(...end('nothing'), '--yes')).toMatchObject(ends(3, 'ada has no token named nothing.'));
  expect(await json(...end(id), '--yes')).toEqual([{ id, name: 'ci', status: 'deleted' }]);
  const ended = await vals(...end('ci'), '--yes', '--json', '--log', 'json');
  expect(JSON.parse(ended.stdout)).toMatchObject([{ name: 'ci', status: 'deleted' }]);
  expect(ended.stderr).toContain(`: user token ada --end ${deploying.id} (ci)"`);
  expect(await json(...end('first'), '--yes')).toMatchObject([{ name: 'first', status: 'deleted' }]);
  expect(await serve(token, ({ statusOf }) => statusOf('GET', '/v1/me'))).toBe(401);
  expect((await json('user', 'ls'))[0].tokens).toMatchObject([{ name: 'laptop' }]);
});

describe('the token beside the file of a store', () => {
  const tokenOf = async (file: string, tokenFor: 'owner' | 'new store' | 'command') => {
    const store = await openStore({ file }, { tokenFor });
    await store.close();
    return store.owner?.token;
  };

  test('is made with the store, is private, and is that of the next process', async () => {
    const { at } = await newStore();
    const token = await tokenOf(at, 'owner');
    expect(readFileSync(`${at}.token`, 'utf8')).toBe(`${token}\n`);
    expect(statSync(`${at}.token`).mode & 0o777).toBe(0o600);
    expect(await tokenOf(at, 'command')).toBe(token);
  });

  test.each([undefined, 'vals_that_nobody_knows'])(
    'is made anew if the file has none that is good (%j), and `user token` ends all earlier ones',
    async (content) => {
      const { at, json, serve } = await newStore();
      const first = await tokenOf(at, 'owner');
      rmSync(`${at}.token`);
      if (content) writeFileSync(`${at}.token`, content);
      expect(await tokenOf(at, 'new store')).toBeUndefined();
      const second = await tokenOf(at, 'owner');
      expect(second).not.toBe(first);
      const statuses = () =>
        Promise.all(
          [first, second].map((token) => serve(`${token}`, ({ statusOf }) => statusOf('GET', '/v1/me'))),
        );
      expect(await statuses()).toEqual([200, 200]);
      const { token } = await json('user', 'token', 'local');
      expect(await tokenOf(at, 'command')).toBe(token);
      expect(await statuses()).toEqual([401, 401]);
      expect(await serve(token, ({ statusOf }) => statusOf('GET', '/v1/me'))).toBe(200);
    },
  );

  test('is that of an owner who was removed no more', async () => {
    const { vals, at } = await newStore();
    await vals('user', 'add', 'ada');
    expect((await vals('user', 'rm', 'local', '--yes')).exit).toBe(0);
    expect(await tokenOf(at, 'owner')).toBeUndefined();
    expect(await tokenOf(at, 'command')).toMatch(/^vals_local_/);
  });
});

test('a space is added, gets members, is listed with them, and is removed with its vals after a question', async () => {
  const { at, vals, json, answer, serve } = await newStore();
  const { token } = await json('user', 'add', 'ada');
  await vals('user', 'add', 'bob');
  const { id, ...others } = await json('space', 'add', 'acme');
  expect(others).toEqual({ username: 'acme' });
  const granted = await json('space', 'grant', 'acme', 'ada');
  expect(granted).toEqual({ space: 'acme', username: 'ada', role: 'write' });
  const bob = await json('space', 'grant', 'acme', 'bob', '--read');
  expect(bob).toEqual({ space: 'acme', username: 'bob', role: 'read' });
  await serve(token, async ({ statusOf }) => {
    const body = { name: 'v', code: 'c' };
    expect(await statusOf('PUT', '/@acme/v1/vals', { body })).toBe(201);
    expect(await json('space', 'revoke', 'acme', 'ada')).toEqual({ space: 'acme', status: 'revoked' });
    expect(await statusOf('PUT', '/@acme/v1/vals', { body })).toBe(404);
  });
  await vals('space', 'grant', 'acme', 'ada', '--read');
  const members = ['ada', 'bob'].map((username) => ({ username, role: 'read' }));
  expect(await json('space', 'ls')).toEqual([{ id, username: 'acme', vals: 1, members }]);
  await vals('space', 'add', 'empty');
  expect(await json('space', 'ls', 'acme')).toEqual([{ id, username: 'acme', vals: 1, members }]);
  const { screen } = await runOnScreen(['space', 'ls', 'acme', '--data', at], { columns: 24 });
  expect(screen.replace(/\s+/g, ' ')).toContain('ada (read), bob (read)');
  await vals('space', 'rm', 'empty', '--yes');
  expect((await vals('space', 'list')).stdout).toBe(`acme\t1\tada (read), bob (read)\t${id}\n`);
  expect((await vals('user', 'ls', '--json')).stdout).not.toContain('acme');
  const rm = ['space', 'rm', 'acme', '--with-vals'];
  expect(await vals('space', 'rm', 'acme', '--yes')).toMatchObject({ exit: 5, stdout: '' });
  expect(await answer('n\r', ...rm)).toMatchObject({
    exit: 2,
    screen: expect.stringContaining('Remove acme and 1 val, with all versions?'),
  });
  expect(await json(...rm, '--dry-run')).toEqual({ space: 'acme', status: 'planned' });
  expect(await json(...rm, '--yes')).toEqual({ space: 'acme', status: 'removed' });
});

test('the name of a person who was removed is given again only if that is said, while versions have it', async () => {
  const { vals, json, serve } = await newStore();
  const { token } = await json('user', 'add', 'bob');
  await vals('space', 'add', 'acme');
  await vals('space', 'grant', 'acme', 'bob');
  const body = { name: 'v', code: 'c' };
  expect(await serve(token, ({ statusOf }) => statusOf('PUT', '/@acme/v1/vals', { body }))).toBe(201);
  await vals('user', 'rm', 'bob', '--yes');
  const refused = await vals('user', 'add', 'bob', '--json');
  expect(refused).toMatchObject({ exit: 5, stdout: '', error: { hint: expect.stringContaining('--again') } });
  const asSpace = await vals('space', 'add', 'bob', '--json');
  expect(asSpace).toMatchObject({ exit: 5, stdout: '', error: { hint: expect.stringContaining('--again') } });
  expect(await json('space', 'add', 'bob', '--again')).toMatchObject({ username: 'bob' });
  await vals('space', 'rm', 'bob', '--yes');
  expect(await json('user', 'add', 'bob', '--again')).toMatchObject({ username: 'bob' });
  await vals('space', 'grant', 'acme', 'bob');
  await vals('user', 'rm', 'bob', '--yes');
  await vals('space', 'rm', 'acme', '--with-vals', '--yes');
  expect(await vals('user', 'add', 'bob')).toMatchObject({ exit: 0 });
});

test('--log json writes who changed the people and spaces, without a token', async () => {
  const { at } = await newStore();
  const env = { SUDO_USER: 'root2' };
  const logged = async (...words: string[]) => {
    const args = [...words, '--data', at, '--log', 'json', '--quiet'];
    const { exit, stderr } = await run(args, { env });
    expect(exit).toBe(0);
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line));
  };
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  for (const words of [
    'user add eve',
    'space add acme',
    'space grant acme eve',
    'space grant acme eve --read',
    'space revoke acme eve',
    'user token eve',
    'user rm eve',
    'space add ops --again',
    'space rm acme --with-vals',
  ]) {
    const asked = / rm /.test(words) ? ['--yes'] : [];
    const [line, ...more] = await logged(...words.split(' '), ...asked);
    expect(line).toEqual({ time, level: 'info', message: `root2 (sudo): ${words}` });
    expect(more).toEqual([]);
  }
});

const team = newStore().then(async (store) => {
  const { db, close } = await openStore({ file: store.at });
  await createPerson(db, 'ada');
  await createSpace(db, 'acme');
  await close();
  return store;
});

test.each([
  ['user add ada', 5, 'There is a user named ada already in ', 'vals user token ada'],
  ['user add acme', 5, 'There is a space named acme already in ', 'Choose another name.'],
  ['user token nobody', 3, '', ''],
  ['space add acme', 5, 'There is a space named acme already in ', 'vals space grant acme'],
  ['space add Acme', 2, 'cannot be the name of a space', ''],
  ['space grant nowhere ada', 3, 'There is no space named nowhere in ', 'vals space ls --data '],
  ['space revoke acme ada', 3, 'ada is not a member of the space acme.', ''],
  ['space ls nowhere', 3, 'There is no space named nowhere in ', 'vals space ls'],
  ['space rm ada --yes', 3, 'There is no space named ada in ', ''],
])('%s: exit %i, and nothing on stdout', async (words, exit, message, hint) => {
  const result = await (await team).vals(...words.split(' '), '--json');
  expect(result).toMatchObject({ exit, stdout: '', error: { exit } });
  expect(result.error?.message).toContain(message);
  expect(result.error?.hint).toBeTruthy();
  expect(result.error?.hint).toContain(hint);
});

test('a command that only reads or removes does not create a store at a misspelt path', async () => {
  const cwd = temporaryFolder();
  const { exit, stdout, error } = await run(['user', 'ls', '--data', 'typo.db', '--json'], { cwd });
  expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
  expect(error?.message).toBe('There is no store at typo.db.');
  expect(error?.hint).toContain('`vals serve --data typo.db`');
  expect(existsSync(join(cwd, 'typo.db'))).toBe(false);
});

test.each(['user ls', 'user token ada', 'space ls', 'token ls --local', 'backup copy.db'])(
  '`vals %s` does not create the embedded store, and says that there is none',
  async (command) => {
    const cwd = temporaryFolder();
    const env = { VALS_DATA_DIR: join(cwd, 'data') };
    const { exit, stdout, error } = await run([...command.split(' '), '--json'], { cwd, env });
    expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
    expect(error?.message).toMatch(/There is no store at .*vals\.db\.$|vals\.db has no store\.$/);
    expect(readdirSync(cwd)).toEqual([]);
  },
);

test.each([['user add ada'], ['space ls'], ['backup copy.db']])(
  '`vals %s` does not take the embedded store for that of the service in use',
  async (command) => {
    const cwd = temporaryFolder();
    const env = { VALS_DATA_DIR: cwd, VALS_BASE_URL: 'https://vals.example.com/@acme' };
    const { exit, error } = await run([...command.split(' '), '--json'], { cwd, env });
    expect({ exit, message: error?.message }).toEqual({
      exit: 2,
      message:
        'This command opens a store directly, but the service in use is https://vals.example.com/@acme (VALS_BASE_URL).',
    });
    expect(error?.hint).toContain('--database or --data');
    expect(readdirSync(cwd)).toEqual([]);
    await run(['user', 'add', 'eve', '--data', 'vals.db'], { cwd, env });
    const local = await run([...command.split(' '), '--local'], { cwd, env });
    expect(local).toMatchObject(ends(0, 'Using the store '));
  },
);
