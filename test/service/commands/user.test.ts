import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore, startService } from '../../../src/service/index.ts';
import { createPerson } from '../../../src/service/store/people.ts';
import { createSpace } from '../../../src/service/store/spaces.ts';
import { identify } from '../../../src/service/store/tokens.ts';
import { run, runOnScreen, temporaryFolder } from '../../support/program.ts';
import { type Client, clientOf, newPlace } from '../support.ts';

const tokenForm = /^vals_[\w-]{43}$/;

async function newStore() {
  const at = await newPlace();
  return {
    at,
    args: (...words: string[]) => ['user', ...words, '--data', at],
    user: (...words: string[]) => run(['user', ...words, '--data', at]),
    space: (...words: string[]) => run(['space', ...words, '--data', at]),
    async serve<Result>(token: string, work: (client: Client) => Promise<Result>): Promise<Result> {
      const { baseUrl, close } = await startService({ file: at, port: 0 });
      return work(clientOf({ baseUrl, token })).finally(close);
    },
  };
}

/** A store with a person and a space, which the tests of refusals do not change. */
const team = newStore().then(async (store) => {
  const { db, close } = await openStore({ file: store.at });
  await createPerson(db, 'ada');
  await createSpace(db, 'acme');
  await close();
  return store;
});

test('a person is added with a token that works and is shown once', async () => {
  const { user, serve } = await newStore();
  const { exit, stdout, stderr } = await user('add', 'ada', '--json');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringMatching(/^Created the store .+\.\n$/) });
  const { id, token } = JSON.parse(stdout);
  expect(JSON.parse(stdout)).toEqual({ id, username: 'ada', token: expect.stringMatching(tokenForm) });
  const answer = await serve(token, ({ ask }) => ask('GET', '/v1/me'));
  expect(answer.body).toMatchObject({ id, username: 'ada' });
  expect((await user('ls', '--json')).stdout).not.toContain(token);
  const bob = await user('add', 'bob');
  expect(bob.stderr).not.toContain('Created');
  expect(bob.stdout).toMatch(/^bob\t[0-9a-f-]{36}\tvals_[\w-]{43}\n$/);
  expect((await user('add', 'eve', '--fields', 'token')).stdout.trimEnd()).toMatch(tokenForm);
});

test('a new token ends the old one', async () => {
  const { user, serve } = await newStore();
  const before = JSON.parse((await user('add', 'ada', '--json')).stdout);
  const after = JSON.parse((await user('token', 'ada', '--json')).stdout);
  expect(after).toEqual({ ...before, token: expect.stringMatching(tokenForm) });
  const statusOf = async (token: string) => (await serve(token, ({ ask }) => ask('GET', '/v1/me'))).status;
  expect([await statusOf(before.token), await statusOf(after.token)]).toEqual([401, 200]);
});

test('the list shows how many vals each person owns, in the order of names', async () => {
  const { user, serve } = await newStore();
  const { token } = JSON.parse((await user('add', 'zoe', '--json')).stdout);
  await user('add', 'ada');
  await serve(token, ({ createVal }) => createVal({ name: 'v', code: 'c' }));
  const people = JSON.parse((await user('ls', '--json')).stdout);
  expect(people.map(({ username, vals }: { username: string; vals: number }) => [username, vals])).toEqual([
    ['ada', 0],
    ['local', 0],
    ['zoe', 1],
  ]);
  expect((await user('list')).stdout).toMatch(/^ada\t0\t/);
});

test('a person who owns vals is removed only with the vals, and a dry run removes nobody', async () => {
  const { user, serve } = await newStore();
  const { id, token } = JSON.parse((await user('add', 'ada', '--json')).stdout);
  await serve(token, ({ createVal }) => createVal({ name: 'v', code: 'c' }));
  const refused = await user('rm', 'ada', '--yes', '--json');
  expect(refused).toMatchObject({ exit: 5, stdout: '', error: { kind: 'conflict' } });
  expect(refused.error?.hint).toContain('--with-vals');
  expect(await user('rm', 'ada', '--dry-run')).toMatchObject({ exit: 5, stdout: '' });
  const planned = await user('rm', 'ada', '--with-vals', '--dry-run', '--json');
  expect(JSON.parse(planned.stdout)).toEqual([{ id, username: 'ada', status: 'planned' }]);
  expect(planned.stderr).toContain('the command removes ada and 1 val, with all versions.');
  expect(JSON.parse((await user('ls', '--json')).stdout)).toHaveLength(2);
  const removed = await user('rm', 'ada', '--yes', '--with-vals', '--json');
  expect(removed.exit).toBe(0);
  expect(JSON.parse(removed.stdout)).toEqual([{ id, username: 'ada', status: 'deleted' }]);
  expect(JSON.parse((await user('ls', '--json')).stdout)).toHaveLength(1);
});

test('a removal asks first, and fails if nobody can be asked', async () => {
  const { user, args } = await newStore();
  await user('add', 'ada');
  expect(await user('rm', 'ada')).toMatchObject({ exit: 2, stdout: '' });
  const answer = (keys: string) => runOnScreen(args('rm', 'ada'), { answers: [{ after: '[y/N]', keys }] });
  const no = await answer('n\r');
  expect(no).toMatchObject({ exit: 2, screen: expect.stringContaining('Remove ada?') });
  expect(no.screen).toContain('Nothing was deleted.');
  expect((await answer('y\r')).exit).toBe(0);
  expect(await user('rm', 'ada', '--yes')).toMatchObject({ exit: 3 });
});

test.each([
  [['add', 'ada'], 5, 'There is a user named ada already in ', 'vals user token ada'],
  [['add', 'acme'], 5, 'There is a space named acme already in ', 'Choose another name.'],
  [['token', 'nobody'], 3, '', ''],
  [['rm', 'nobody', '--yes'], 3, '', ''],
  [['add', 'Ada'], 2, '', ''],
  [['add'], 2, '', ''],
])('user %j: exit %i, and nothing on stdout', async (words, exit, message, hint) => {
  const { user } = await team;
  const result = await user(...words, '--json');
  expect(result).toMatchObject({ exit, stdout: '', error: { exit } });
  expect(result.error?.message).toContain(message);
  expect(result.error?.hint).toBeTruthy();
  expect(result.error?.hint).toContain(hint);
});

describe('the token beside the file of a store', () => {
  const tokenOf = async (file: string, tokenFor: 'owner' | 'new store' | 'command') => {
    const store = await openStore({ file }, { tokenFor });
    await store.close();
    return store.owner?.token;
  };
  const isGood = async (file: string, token: string | undefined) => {
    const store = await openStore({ file });
    const identity = await identify(store, 'token', `${token}`);
    await store.close();
    return identity !== undefined;
  };

  test('is made with the store, is private, and is that of the next process', async () => {
    const { at } = await newStore();
    const token = await tokenOf(at, 'owner');
    expect(readFileSync(`${at}.token`, 'utf8')).toBe(`${token}\n`);
    expect(statSync(`${at}.token`).mode & 0o777).toBe(0o600);
    expect(await tokenOf(at, 'command')).toBe(token);
  });

  test.each(['', 'vals_that_nobody_knows'])(
    'is made anew if the file has none that is good (%j)',
    async (content) => {
      const { at } = await newStore();
      const first = await tokenOf(at, 'owner');
      rmSync(`${at}.token`);
      if (content !== '') writeFileSync(`${at}.token`, content);
      expect(await tokenOf(at, 'new store')).toBeUndefined();
      const second = await tokenOf(at, 'owner');
      expect(second).not.toBe(first);
      expect([await isGood(at, first), await isGood(at, second)]).toEqual([true, true]);
    },
  );

  test('is replaced by `user token`, which ends all earlier ones', async () => {
    const { user, at } = await newStore();
    const first = await tokenOf(at, 'owner');
    const { token } = JSON.parse((await user('token', 'local', '--json')).stdout);
    expect(await tokenOf(at, 'command')).toBe(token);
    expect([await isGood(at, first), await isGood(at, token)]).toEqual([false, true]);
  });

  test('is that of an owner who was removed no more', async () => {
    const { user, at } = await newStore();
    await user('add', 'ada');
    expect((await user('rm', 'local', '--yes')).exit).toBe(0);
    expect(await tokenOf(at, 'owner')).toBeUndefined();
    expect(await isGood(at, await tokenOf(at, 'command'))).toBe(true);
  });
});

describe('spaces', () => {
  test('a space is added, gets members, and is listed with them', async () => {
    const { user, space, serve } = await newStore();
    const { token } = JSON.parse((await user('add', 'ada', '--json')).stdout);
    await user('add', 'bob');
    const added = await space('add', 'acme', '--json');
    expect({ exit: added.exit, stderr: added.stderr }).toEqual({ exit: 0, stderr: '' });
    const { id, ...others } = JSON.parse(added.stdout);
    expect(others).toEqual({ username: 'acme' });
    const granted = await space('grant', 'acme', 'ada', '--json');
    expect(JSON.parse(granted.stdout)).toEqual({ space: 'acme', username: 'ada', role: 'write' });
    const reads = await space('grant', 'acme', 'bob', '--read', '--json');
    expect(JSON.parse(reads.stdout)).toEqual({ space: 'acme', username: 'bob', role: 'read' });
    await serve(token, async ({ ask }) => {
      const body = { name: 'v', code: 'c' };
      expect((await ask('PUT', '/@acme/v1/vals', { body })).status).toBe(201);
      await space('revoke', 'acme', 'ada');
      expect((await ask('PUT', '/@acme/v1/vals', { body })).status).toBe(404);
    });
    await space('grant', 'acme', 'ada', '--read');
    const members = [
      { username: 'ada', role: 'read' },
      { username: 'bob', role: 'read' },
    ];
    expect(JSON.parse((await space('ls', '--json')).stdout)).toEqual([
      { id, username: 'acme', vals: 1, members },
    ]);
    expect((await space('list')).stdout).toBe(`acme\t1\tada (read), bob (read)\t${id}\n`);
    expect(JSON.parse((await space('revoke', 'acme', 'ada', '--json')).stdout)).toEqual({
      space: 'acme',
      status: 'revoked',
    });
    expect((await user('ls', '--json')).stdout).not.toContain('acme');
  });

  test('a space is removed with its vals, after a question that names them', async () => {
    const { at, user, space, serve } = await newStore();
    const { token } = JSON.parse((await user('add', 'ada', '--json')).stdout);
    await space('add', 'acme');
    await space('grant', 'acme', 'ada');
    const body = { name: 'v', code: 'c' };
    await serve(token, ({ ask }) => ask('PUT', '/@acme/v1/vals', { body }));
    const asked = await runOnScreen(['space', 'rm', 'acme', '--with-vals', '--data', at], {
      answers: [{ after: '[y/N]', keys: 'n\r' }],
    });
    expect(asked.screen).toContain('Remove acme and 1 val, with all versions?');
    expect(asked.exit).toBe(2);
    const planned = await space('rm', 'acme', '--with-vals', '--dry-run', '--json');
    expect(JSON.parse(planned.stdout)).toEqual({ space: 'acme', status: 'planned' });
    const removed = await space('rm', 'acme', '--with-vals', '--yes', '--json');
    expect(JSON.parse(removed.stdout)).toEqual({ space: 'acme', status: 'removed' });
  });

  test.each([
    [['add', 'acme'], 5, 'There is a space named acme already in ', 'vals space grant acme'],
    [['add', 'ada'], 5, 'There is a user named ada already in ', 'Choose another name.'],
    [['add', 'Acme'], 2, 'cannot be the name of a space', ''],
    [['grant', 'nowhere', 'ada'], 3, 'There is no space named nowhere in ', ''],
    [['grant', 'acme', 'nobody'], 3, 'There is no user named nobody in ', ''],
    [['revoke', 'acme', 'ada'], 3, 'ada is not a member of the space acme.', ''],
    [['revoke', 'nowhere', 'ada'], 3, 'There is no space named nowhere in ', ''],
    [['rm', 'ada', '--yes'], 3, 'There is no space named ada in ', ''],
  ])('space %j: exit %i, and nothing on stdout', async (words, exit, message, hint) => {
    const { space } = await team;
    const result = await space(...words, '--json');
    expect(result).toMatchObject({ exit, stdout: '', error: { exit } });
    expect(result.error?.message).toContain(message);
    expect(result.error?.hint).toBeTruthy();
    expect(result.error?.hint).toContain(hint);
  });
});

test.each([['user ls'], ['user rm ada --yes'], ['space ls']])(
  '`vals %s` does not create a store at a misspelt path',
  async (command) => {
    const cwd = temporaryFolder();
    const { exit, stdout, error } = await run([...command.split(' '), '--data', 'typo.db', '--json'], {
      cwd,
    });
    expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
    expect(error?.message).toBe('There is no database file at typo.db.');
    expect(error?.hint).toContain('`vals user add <username> --data typo.db`');
    expect(existsSync(join(cwd, 'typo.db'))).toBe(false);
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
    expect(await run([...command.split(' '), '--local'], { cwd, env })).toMatchObject({ exit: 0 });
  },
);

test('errors name the store, and hints lead to the same store', async () => {
  const cwd = temporaryFolder();
  const onTeam = (...words: string[]) => run([...words, '--data', 'team.db', '--json'], { cwd });
  await onTeam('space', 'add', 'acme');
  const { error } = await onTeam('space', 'revoke', 'nowhere', 'bob');
  expect(error?.message).toBe('There is no space named nowhere in team.db.');
  expect(error?.hint).toBe('To list the spaces, run `vals space ls --data team.db`.');
  const elsewhere = await run(['space', 'revoke', 'acme', 'bob', '--json'], { cwd });
  expect(elsewhere.error?.message).toMatch(/^There is no space named acme in \S+vals\.db\.$/);
});

test('a list works if the default file does not exist, and says how to add a space', async () => {
  const { exit, stdout } = await run(['user', 'list', '--fields', 'username']);
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'local\n' });
  expect((await runOnScreen(['space', 'ls'])).screen).toContain('vals space add');
});
