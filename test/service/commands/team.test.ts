import { expect, test } from 'vitest';
import { revoke } from '../../../src/service/store/spaces.ts';
import { lines } from '../../core/output/support.ts';
import { ends, run, runOnScreen, runQuickly } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { signIn } from '../../support/sign-in.ts';
import { startTeam } from '../support/team.ts';

test('one sign-in serves the person and their spaces, and vals use switches between them', async () => {
  const { ada, baseUrl, space, store } = await startTeam();
  const rows = async (...words: string[]) => JSON.parse((await ada.vals([...words, '--json'])).stdout);
  const signedIn = await signIn(ada, space);
  expect(JSON.parse(signedIn.stdout)).toMatchObject({ username: 'ada', baseUrl: space });
  expect(await rows('me')).toMatchObject({ username: 'acme', actor: { username: 'ada' } });
  expect((await ada.vals(['me'])).stdout).toMatch(/^acme\t.*\tfirst\t\tada\n$/);
  const both = [
    { default: false, baseUrl },
    { default: true, baseUrl: space, role: 'write' },
  ];
  expect(await rows('use')).toEqual(both);
  expect(await rows('use', baseUrl)).toEqual([{ default: true, baseUrl }]);
  expect(await rows('me')).toMatchObject({ username: 'ada' });
  expect(await rows('use', 'acme')).toEqual(both);
  await revoke(store.db, 'acme', 'ada');
  // The default stays what it is, until a person chooses another one.
  expect(await rows('use')).toMatchObject([{ default: false }, { default: true, baseUrl: space }]);
});

test('a sign-in to a space that the caller cannot see stores nothing', async () => {
  const { ada, baseUrl } = await startTeam();
  const args = ['login', '--base-url', `${baseUrl}/@ops`, '--with-token', '--json'];
  const { exit, error } = await ada.vals(args, { input: ada.token });
  expect({ exit, message: error?.message }).toEqual({
    exit: 3,
    message: `There is no space ops on ${baseUrl}, or you are not a member of that space.`,
  });
  expect(error?.hint).toContain(`vals login ${baseUrl}`);
  expect(await ada.vals(['use', '--json'])).toMatchObject({ stdout: '[]\n' });
});

test('vals use does not wait for a service that does not answer', async () => {
  const service = await scriptedService([], () => () => {});
  const { exit, stderr } = await runQuickly(['use', '--json'], { env: service.env });
  expect(exit).toBe(0);
  expect(stderr).toContain('warning: Your spaces could not be listed: ');
});

/** Runs vals with a token, at a base URL. */
const as = (token: string, baseUrl: string) => {
  const env = { VALS_BASE_URL: baseUrl, VALS_TOKEN: token };
  const vals = (args: string[], input = 'export default 1') => run(args, { env, input });
  const json = async (...args: string[]) => JSON.parse((await vals([...args, '--json'])).stdout);
  return { vals, json };
};

test('a token is shown whole in a narrow window, with the whole of a long name, and its end in local time', async () => {
  const { ada, baseUrl } = await startTeam();
  const env = { VALS_BASE_URL: baseUrl, VALS_TOKEN: ada.token, TZ: 'Asia/Tokyo' };
  const onScreen = async (args: string[], columns = 80, more = {}) =>
    lines((await runOnScreen([...args, '--no-color'], { env: { ...env, ...more }, columns })).screen);
  const added = await onScreen(['token', 'add', 'ci', '--read-only', '--expires', '12d'], 40);
  expect(added).toContainEqual(expect.stringMatching(/^token +vals_[\w-]{43}$/));
  expect(added.join('\n')).toMatch(/^ends +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( |\n +)\(in 1[12]d\)$/m);
  expect((await onScreen(['token', 'ls'], 40)).join('\n')).toMatch(/^ci .* in 1[12]d$/m);
  const long = 'n'.repeat(39);
  await onScreen(['token', 'add', long]);
  expect(await onScreen(['token', 'ls'])).toContainEqual(expect.stringMatching(new RegExp(`^${long} `)));
  const token = added.find((line) => line.startsWith('token '))?.split(/ +/)[1] ?? '';
  const me = await onScreen(['me'], 80, { VALS_TOKEN: token });
  expect(me).toContainEqual(expect.stringMatching(/^token +ci \(read\)$/));
  expect(me).toContainEqual(expect.stringMatching(/^token ends +\d.*\(in 1[12]d\)$/));
});

test('a token is made, listed without the secret, and ended', async () => {
  const { ada, baseUrl } = await startTeam();
  const { vals, json } = as(ada.token, baseUrl);
  const added = await vals(['token', 'add', 'ci', '--read-only', '--expires', '90d', '--json']);
  expect(added).toMatchObject({ exit: 0, stderr: '' });
  const { token, ...record } = JSON.parse(added.stdout);
  expect(record).toMatchObject({ name: 'ci', access: 'read', space: null });
  expect(Date.parse(record.expiresAt) - Date.now()).toBeGreaterThan(89 * 86_400_000);
  const ci = as(token, baseUrl);
  expect(await ci.vals(['me'])).toMatchObject({ exit: 0 });
  expect(await ci.vals(['push', '-', '--name', 'v'])).toMatchObject({ exit: 4 });
  expect(await json('token', 'ls')).toEqual([
    { ...record, lastUsedAt: expect.any(String) },
    expect.objectContaining({ name: 'first' }),
  ]);
  const unasked = ends(2, '--yes');
  expect(await vals(['token', 'rm', 'ci'])).toMatchObject(unasked);
  const { id } = record;
  for (const word of ['ci', id.slice(0, 8)]) {
    const planned = await json('token', 'rm', word, '--dry-run');
    expect(planned).toEqual([{ id, name: 'ci', status: 'planned' }]);
  }
  expect(await json('token', 'rm', 'ci', '--yes')).toEqual([{ id, name: 'ci', status: 'deleted' }]);
  expect(await ci.vals(['me'])).toMatchObject({ exit: 4 });
  expect(await vals(['token', 'rm', 'ci', '--yes'])).toMatchObject({ exit: 3 });
});

test('a token that deploys pushes and publishes nothing, and is named where it is refused', async () => {
  const { ada, baseUrl } = await startTeam();
  const { json } = as(ada.token, baseUrl);
  const { token, access } = await json('token', 'add', 'ci', '--deploy');
  expect(access).toBe('deploy');
  const ci = as(token, baseUrl);
  for (const code of ['1', '2']) {
    expect(await ci.vals(['push', '-', '--name', 'v'], code)).toMatchObject({ exit: 0 });
  }
  expect((await ci.vals(['me'])).stdout).toContain('\tci (deploy)\t');
  const refused = ends(4, 'The token ci may only read, create private vals and add versions.');
  for (const words of ['val set v --privacy public', 'val rm v --yes', 'val create w - --privacy public']) {
    expect(await ci.vals(words.split(' '))).toMatchObject(refused);
  }
  const conflicting = await ci.vals(['token', 'add', 'x', '--deploy', '--read-only']);
  expect(conflicting).toMatchObject({ exit: 2 });
});

test('a token of the base URL of a space is good there alone, and is named beside its person', async () => {
  const { ada, baseUrl, space } = await startTeam();
  const whole = as(ada.token, space);
  const { token, space: name } = await whole.json('token', 'add', 'ci');
  expect(name).toBe('acme');
  const push = ['push', '-', '--name', 'v', '--json'];
  expect(await as(token, space).vals(push)).toMatchObject({ exit: 0 });
  expect((await whole.vals(['version', 'ls', 'v'])).stdout).toMatch(/\tada \(ci\)\n$/);
  const message = expect.stringContaining(`The base URL of the space is ${space}.`);
  expect(await as(token, baseUrl).vals(push)).toMatchObject({ exit: 4, error: { message } });
  expect(await whole.vals(['token', 'add', 'ci'])).toMatchObject({ exit: 5 });
  expect(await whole.vals(['token', 'add', 'ci) by ada ('])).toMatchObject(
    ends(6, 'must have up to 64 letters'),
  );
});

test('token rm ends the one with the name that was made at this base URL, and any other by its id', async () => {
  const { ada, baseUrl, space } = await startTeam();
  const [atPerson, atSpace] = [as(ada.token, baseUrl), as(ada.token, space)];
  const own = await atPerson.json('token', 'add', 'ci');
  const ofSpace = await atSpace.json('token', 'add', 'ci');
  const { id } = await atSpace.json('token', 'add', 'deploy');
  const notHere = await atPerson.vals(['token', 'rm', 'deploy', '--yes', '--json']);
  expect(notHere).toMatchObject({
    exit: 3,
    error: {
      message: expect.stringMatching(/ for the space acme\.$/),
      hint: expect.stringContaining(`\`vals token rm ${id}\``),
    },
  });
  expect(await atSpace.json('token', 'rm', 'ci', '--dry-run')).toMatchObject([{ id: ofSpace.id }]);
  expect(await atPerson.json('token', 'rm', 'ci', '--yes')).toMatchObject([{ id: own.id }]);
  expect(await atPerson.vals(['token', 'rm', 'ci', '--yes'])).toMatchObject({ exit: 3 });
  const byId = await atPerson.json('token', 'rm', ofSpace.id, '--yes');
  expect(byId).toMatchObject([{ id: ofSpace.id, status: 'deleted' }]);
});

test('a service without the route is said to have none', async () => {
  const { env } = await scriptedService([], () => ({ status: 404, body: {} }));
  for (const args of [['ls'], ['add', 'ci'], ['rm', 'ci', '--yes']]) {
    expect(await run(['token', ...args], { env })).toMatchObject(
      ends(3, 'This service has no route for tokens'),
    );
  }
});

test('val rm names the vals that import what is to be deleted', async () => {
  const { ada, bob, baseUrl } = await startTeam();
  const used = await ada.createVal({ name: 'used', code: 'c', privacy: 'public' });
  const code = `import '${baseUrl}/v1/vals/${used.id}/module'`;
  await ada.createVal({ name: 'own', code });
  await ada.createVal({ name: 'leaving', code });
  await bob.createVal({ name: 'shown', code, privacy: 'public' });
  await bob.createVal({ name: 'hidden', code });
  const env = { VALS_BASE_URL: baseUrl, VALS_TOKEN: ada.token };
  const rm = (...words: string[]) =>
    runOnScreen(['val', 'rm', ...words, '--no-color'], {
      ...{ env, home: ada.home, columns: 120 },
      answers: [{ after: '[y/N]', keys: 'n\r' }],
    });
  const asked = await rm('used', 'leaving');
  expect(asked.screen).toContain('warning: used is imported by shown and own.');
  const planned = await rm('own', 'used', '--dry-run');
  expect(planned.screen).toContain('used is imported by shown and leaving.');
});
