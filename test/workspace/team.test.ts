import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, temporaryFolder } from '../support/program.ts';
import { type Person, signIn, startTeam } from '../support/team.ts';

function checkout(from: string, to = temporaryFolder()): string {
  cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== '.vals' });
  return to;
}

const rowsOf = async (person: Person, cwd: string, args: string[], env = {}) => {
  const { stdout, exit, stderr } = await person.vals([...args, '--json'], { cwd, env });
  const rows = (stdout === '' ? [] : JSON.parse(stdout)) as { name: string; status: string; id?: string }[];
  return { exit, stderr, statuses: Object.fromEntries(rows.map(({ name, status }) => [name, status])) };
};

test('two people push, pull and merge a conflict, CI finds nothing to do, and one person loses access', async () => {
  const { ada, bob, space, baseUrl, store } = await startTeam();
  for (const person of [ada, bob]) await signIn(person, space);
  const hers = folderOf({ 'greet.ts': 'one\ntwo\nthree\n', 'count.ts': 'export default () => 1;\n' });
  await ada.vals(['init'], { cwd: hers });
  expect((await rowsOf(ada, hers, ['push'])).statuses).toEqual({ greet: 'created', count: 'created' });
  const committed = readFileSync(join(hers, 'vals.json'), 'utf8');

  const his = checkout(hers);
  expect((await rowsOf(bob, his, ['status'])).statuses).toEqual({ greet: 'unchanged', count: 'unchanged' });
  writeFileSync(join(his, 'greet.ts'), 'one\ntwo\nTHREE\n');
  expect((await rowsOf(bob, his, ['push'])).statuses).toMatchObject({ greet: 'pushed' });
  writeFileSync(join(hers, 'greet.ts'), 'ONE\ntwo\nthree\n');
  expect(await rowsOf(ada, hers, ['push'])).toMatchObject({ exit: 5, statuses: { greet: 'failed' } });
  expect((await rowsOf(ada, hers, ['pull', '--merge'])).statuses).toMatchObject({ greet: 'merged' });
  expect(readFileSync(join(hers, 'greet.ts'), 'utf8')).toBe('ONE\ntwo\nTHREE\n');
  expect((await rowsOf(ada, hers, ['push'])).statuses).toMatchObject({ greet: 'pushed' });
  expect((await rowsOf(bob, his, ['pull'])).statuses).toMatchObject({ greet: 'pulled' });
  for (const folder of [hers, his]) expect(readFileSync(join(folder, 'vals.json'), 'utf8')).toBe(committed);

  const token = (await store.users.add('ci'))?.token;
  await store.spaces.grant('acme', 'ci', 'write');
  const job = { ...bob, home: temporaryFolder() };
  const ci = checkout(hers);
  const env = { VALS_BASE_URL: space, VALS_TOKEN: token, HOME: job.home };
  expect(await rowsOf(job, ci, ['push'], env)).toMatchObject({
    exit: 0,
    statuses: { greet: 'unchanged', count: 'unchanged' },
  });

  const versions = await ada.vals(['version', 'ls', 'greet', '--json'], { cwd: hers });
  expect(
    JSON.parse(versions.stdout).map(
      ({ versionAuthor }: { versionAuthor: { username: string } }) => versionAuthor.username,
    ),
  ).toEqual(['ada', 'bob', 'ada']);

  await store.spaces.revoke('acme', 'bob');
  writeFileSync(join(his, 'count.ts'), 'export default () => 2;\n');
  for (const args of [['status'], ['push'], ['pull']]) {
    const { exit, stderr } = await bob.vals(args, { cwd: his });
    expect({ args, exit }).toEqual({ args, exit: 3 });
    expect(stderr).toContain(`There is no space acme on ${baseUrl}, or you are not a member of that space.`);
    expect(stderr).toContain('`vals space grant acme <username>`');
  }
  expect(readFileSync(join(his, 'vals.json'), 'utf8')).toBe(committed);
});

test("status and push with a person's own account name the space, and create nothing", async () => {
  const { ada, space, baseUrl } = await startTeam();
  await signIn(ada, space);
  const folder = folderOf({ 'greet.ts': 'export default () => 1;\n' });
  await ada.vals(['init'], { cwd: folder });
  await ada.vals(['push'], { cwd: folder });
  await ada.vals(['use', baseUrl]);
  const warning = `The vals were pushed to ${space}, but the service in use is ${baseUrl}.`;
  const status = await ada.vals(['status'], { cwd: folder });
  expect(status.stdout).toMatch(/^not yours\tgreet\t/);
  expect(status.stderr).toContain(warning);
  expect(status.stderr.indexOf(warning)).toBeLessThan(40);
  const push = await ada.vals(['push', '--json'], { cwd: folder });
  expect(push.stderr).toContain(warning);
  expect(push).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
  expect(push.error?.message).toContain(`According to vals.json, the val belongs to ${space}`);
  expect(push.error?.hint).toContain(`vals use ${space}`);
  expect(JSON.parse((await ada.vals(['ls', '--json'])).stdout)).toEqual([]);
});

test('the hint to switch to another owner never names another service from vals.json', async () => {
  const { ada, space, baseUrl } = await startTeam();
  await signIn(ada, space);
  const folder = folderOf({ 'greet.ts': 'export default () => 1;\n' });
  await ada.vals(['init'], { cwd: folder });
  await ada.vals(['push'], { cwd: folder });
  const manifest = JSON.parse(readFileSync(join(folder, 'vals.json'), 'utf8'));
  const entry = manifest.vals['greet.ts'];
  entry.ids = { 'https://stranger.example': 'some-id', ...entry.ids };
  writeFileSync(join(folder, 'vals.json'), JSON.stringify(manifest));
  await ada.vals(['use', baseUrl]);
  const { exit, error } = await ada.vals(['push', '--json'], { cwd: folder });
  expect(exit).toBe(5);
  expect(error?.hint).toContain(`vals use ${space}`);
  expect(JSON.stringify(error)).not.toContain('stranger');
});

test('the hint to switch to another owner never names a space of somebody else', async () => {
  const { ada, bob, space, baseUrl } = await startTeam();
  await signIn(bob, baseUrl);
  const args = ['val', 'create', 'greet', '--privacy', 'public', '--json'];
  const { id } = JSON.parse((await bob.vals(args, { input: 'code' })).stdout);
  await signIn(ada, baseUrl);
  const folder = folderOf({
    'greet.ts': 'evil',
    'vals.json': JSON.stringify({ vals: { 'greet.ts': { name: 'greet', ids: { [space]: id } } } }),
  });
  const { exit, error } = await ada.vals(['push', '--json'], { cwd: folder });
  expect(exit).toBe(5);
  expect(error?.message).toContain('The val belongs to bob');
  expect(error?.hint).not.toContain(space);
});

test('the warning names three of many other services', async () => {
  const { ada, baseUrl } = await startTeam();
  await signIn(ada, baseUrl);
  const services = [1, 2, 3, 4, 5].map((number) => `https://${number}.example`);
  const ids = Object.fromEntries(services.map((service) => [service, 'some-id']));
  const folder = folderOf({
    'a.ts': 'a',
    'vals.json': JSON.stringify({ vals: { 'a.ts': { name: 'a', ids } } }),
  });
  const { stderr } = await ada.vals(['status'], { cwd: folder });
  const named = 'https://1.example, https://2.example, https://3.example and 2 more';
  expect(stderr).toContain(`The vals were pushed to ${named}, but the service in use is ${baseUrl}.`);
});

test('vals that were copied to a space are found again by their names', async () => {
  const { ada, space, baseUrl } = await startTeam();
  await signIn(ada, baseUrl);
  const folder = folderOf({ 'greet.ts': 'export default () => 1;\n' });
  await ada.vals(['init'], { cwd: folder });
  await ada.vals(['push'], { cwd: folder });
  expect((await ada.vals(['copy', '--all', '--to', space], { cwd: folder })).exit).toBe(0);
  await ada.vals(['use', space]);
  const push = await ada.vals(['push', '--json'], { cwd: folder });
  expect(push.exit).toBe(5);
  expect(push.error?.hint).toContain('vals push --fork');
  expect((await rowsOf(ada, folder, ['push', 'greet.ts', '--fork'])).statuses).toEqual({
    greet: 'unchanged',
  });
  expect((await rowsOf(ada, folder, ['status'])).statuses).toEqual({ greet: 'unchanged' });
  const { vals } = JSON.parse(readFileSync(join(folder, 'vals.json'), 'utf8'));
  expect(Object.keys(vals['greet.ts'].ids)).toEqual([baseUrl, space]);
});
