import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { grant, revoke } from '../../../src/service/store/spaces.ts';
import { has } from '../../support/features.ts';
import { type RunResult, runQuickly } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { signIn } from '../../support/sign-in.ts';
import { startTeam } from '../support/team.ts';

const rowsOf = async (result: Promise<RunResult>) => JSON.parse((await result).stdout);

test('one sign-in serves the person and their spaces, and vals use switches between them', async () => {
  const { ada, baseUrl, space, store } = await startTeam();
  const signedIn = await signIn(ada, space);
  expect(JSON.parse(signedIn.stdout)).toMatchObject({ username: 'ada', baseUrl: space });
  expect(await rowsOf(ada.vals(['me', '--json']))).toMatchObject({
    username: 'acme',
    actor: { username: 'ada' },
  });
  expect((await ada.vals(['me'])).stdout).toMatch(/^acme\t.*\tada\n$/);
  const rows = [
    { default: false, baseUrl },
    { default: true, baseUrl: space, role: 'write' },
  ];
  expect(await rowsOf(ada.vals(['use', '--json']))).toEqual(rows);
  expect(await rowsOf(ada.vals(['use', baseUrl, '--json']))).toEqual([{ default: true, baseUrl }]);
  expect(await rowsOf(ada.vals(['me', '--json']))).toMatchObject({ username: 'ada' });
  for (const word of ['@acme', 'acme']) {
    await ada.vals(['use', baseUrl]);
    expect(await rowsOf(ada.vals(['use', word, '--json']))).toEqual(rows);
  }
  const other = await ada.vals(['use', '@ops', '--json']);
  expect(other).toMatchObject({
    exit: 2,
    error: { message: `@ops is no base URL, and no space of yours on ${baseUrl}.` },
  });
  expect(other.error?.hint).toContain(space);
  await revoke(store.db, 'acme', 'ada');
  // The default stays what it is, until a person chooses another one.
  expect(await rowsOf(ada.vals(['use', '--json']))).toEqual([
    { default: false, baseUrl },
    { default: true, baseUrl: space },
  ]);
});

test.runIf(has('workspace'))('vals copy --to @acme copies to the space of the service in use', async () => {
  const { ada, baseUrl, space } = await startTeam();
  await signIn(ada, baseUrl);
  await ada.vals(['push', '-', '--name', 'greet'], { input: 'code' });
  expect(await ada.vals(['copy', 'greet', '--to', '@acme'])).toMatchObject({ exit: 0 });
  const copied = await ada.vals(['val', 'get', 'greet', '--base-url', space, '--json']);
  expect(JSON.parse(copied.stdout)).toMatchObject({ name: 'greet', author: { username: 'acme' } });
});

test('login and use warn if VALS_LOCAL makes commands use the embedded service', async () => {
  const { ada, baseUrl } = await startTeam();
  const env = { VALS_LOCAL: '1' };
  const login = ['login', '--base-url', baseUrl, '--with-token'];
  expect((await ada.vals(login, { env, input: ada.token })).stderr).toContain('VALS_LOCAL is set');
  expect((await ada.vals(['use', '@acme'], { env })).stderr).toContain('VALS_LOCAL is set');
  expect((await ada.vals(['use', '@acme'], { env: { VALS_LOCAL: '0' } })).stderr).toBe('');
});

test('vals use shows the services even if the current base URL cannot be used', async () => {
  const { ada, baseUrl } = await startTeam();
  await signIn(ada, baseUrl);
  const { exit, stdout } = await ada.vals(['use', '--json'], {
    env: { VALS_BASE_URL: 'http://vals.example.com' },
  });
  expect({ exit, rows: JSON.parse(stdout) }).toEqual({ exit: 0, rows: [{ default: true, baseUrl }] });
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
  expect(await rowsOf(ada.vals(['use', '--json']))).toEqual([]);
  expect(await ada.vals(['use', '@acme', '--json'])).toMatchObject({
    exit: 2,
    error: { message: 'No service is chosen.' },
  });
});

test('names, versions and addresses are those of the chosen space', async () => {
  const { ada, bob, baseUrl, space } = await startTeam();
  for (const person of [ada, bob]) await signIn(person, space);
  const file = join(ada.home, 'greet.ts');
  writeFileSync(file, 'export default () => 1;\n');
  const [theirs] = JSON.parse((await ada.vals(['push', 'greet.ts', '--json'])).stdout);
  const [own] = JSON.parse((await ada.vals(['push', 'greet.ts', '--base-url', baseUrl, '--json'])).stdout);
  expect(own.id).not.toBe(theirs.id);
  writeFileSync(join(bob.home, 'greet.ts'), 'export default () => 2;\n');
  await bob.vals(['push', 'greet.ts']);

  const versions = await bob.vals(['version', 'ls', 'greet']);
  expect(versions.stdout.split('\n').map((line) => line.split('\t').at(-1))).toEqual(['bob', 'ada', '']);
  expect(await rowsOf(ada.vals(['version', 'get', 'greet', '2', '--json']))).toMatchObject({
    versionAuthor: { username: 'bob' },
    author: { username: 'acme' },
  });
  expect((await ada.vals(['val', 'get', 'greet', '--fields', 'id'])).stdout).toBe(`${theirs.id}\n`);
  expect((await ada.vals(['val', 'get', 'greet', '--fields', 'id', '--base-url', baseUrl])).stdout).toBe(
    `${own.id}\n`,
  );
  const { url } = (await rowsOf(ada.vals(['open', 'greet', '--json']))) as { url: string };
  expect(new URL(url).searchParams.get('next')).toBe(`/@acme/vals/${theirs.id}`);
});

describe('a person who lost access', () => {
  async function pushedToSpace() {
    const { ada, space, store } = await startTeam();
    await signIn(ada, space);
    const file = join(ada.home, 'greet.ts');
    writeFileSync(file, 'export default () => 1;\n');
    await ada.vals(['push', 'greet.ts']);
    return { ada, store, file };
  }

  test.each([[['me']], [['push', 'greet.ts']], [['val', 'get', 'greet']]])(
    'gets a clear error from %j',
    async (args) => {
      const { ada, store } = await pushedToSpace();
      await revoke(store.db, 'acme', 'ada');
      const { exit, error } = await ada.vals([...args, '--json']);
      expect({ exit, kind: error?.kind }).toEqual({ exit: 3, kind: 'not_found' });
      expect(error?.message).toContain('There is no space acme');
      expect(error?.hint).toContain('vals use');
    },
  );

  test('may keep read access, and gets a clear error for a write', async () => {
    const { ada, store, file } = await pushedToSpace();
    await grant(store.db, 'acme', 'ada', 'read');
    expect((await ada.vals(['val', 'get', 'greet'])).exit).toBe(0);
    writeFileSync(file, 'export default () => 2;\n');
    const { exit, error } = await ada.vals(['push', 'greet.ts', '--json']);
    expect(exit).toBe(4);
    expect(error?.message).toBe('You may read the vals of acme, but not change them.');
    expect(error?.hint).toBe('To get write access, ask the person who runs the service.');
  });
});

test('vals use does not wait for a service that does not answer', async () => {
  const service = await scriptedService([], () => () => {});
  const { exit, stderr } = await runQuickly(['use', '--json'], { env: service.env });
  expect(exit).toBe(0);
  expect(stderr).toContain('warning: Your spaces could not be listed: ');
});
