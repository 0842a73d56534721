import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, temporaryFolder } from '../support/program.ts';
import { type Person, signIn, startTeam } from '../support/team.ts';
import { Place, put } from './support.ts';

function checkout(from: string, to = temporaryFolder()): string {
  cpSync(from, to, { recursive: true });
  return to;
}

const rowsOf = async (person: Person, cwd: string, args: string[], env = {}) => {
  const { stdout, exit, stderr } = await person.vals([...args, '--json'], { cwd, env });
  const rows = (stdout === '' ? [] : JSON.parse(stdout)) as { name: string; status: string; id?: string }[];
  return { exit, stderr, statuses: Object.fromEntries(rows.map(({ name, status }) => [name, status])) };
};

/** A repository that people and a CI job share. A commit is a copy of the files. */
class Repository {
  readonly #files = temporaryFolder();

  commit = (place: Place): void => replaceFiles(place.folder, this.#files);

  update = (place: Place): void => replaceFiles(this.#files, place.folder);

  /** A fresh checkout on a machine that knows nothing. */
  checkout(env: Record<string, string>): Place {
    const place = new Place(temporaryFolder(), env);
    this.update(place);
    return place;
  }
}

function replaceFiles(from: string, to: string): void {
  for (const name of readdirSync(to)) rmSync(join(to, name), { recursive: true });
  cpSync(from, to, { recursive: true });
}

async function officeOf({ isLocal }: { isLocal: boolean }) {
  const repository = new Repository();
  if (isLocal) {
    const env = { VALS_LOCAL: '1', VALS_DATA_DIR: temporaryFolder() };
    return { repository, envs: { ada: env, bob: env, ci: env } };
  }
  const { ada, bob, space, store } = await startTeam();
  const ciToken = (await store.users.add('ci'))?.token ?? '';
  await store.spaces.grant('acme', 'ci', 'write');
  const envOf = (token: string) => ({ VALS_BASE_URL: space, VALS_TOKEN: token });
  return { repository, envs: { ada: envOf(ada.token), bob: envOf(bob.token), ci: envOf(ciToken) } };
}

test('two people and CI work on one repository for a day', async () => {
  const { repository, envs } = await officeOf({ isLocal: false });
  const ada = new Place(temporaryFolder(), envs.ada);
  const ci = (...args: string[]) => repository.checkout(envs.ci).words(args);
  const code = async (place: Place, name: string) => (await place.vals('val', 'get', name, '--code')).stdout;

  // A new file is pushed by its author, the next one only by CI, which nobody commits the id of.
  put(ada.folder, { 'greet.ts': 'greet_1' });
  await ada.vals('init');
  expect(await ada.words(['push'])).toEqual({ 'greet.ts': 'created' });
  put(ada.folder, { 'count.ts': 'count_1' });
  repository.commit(ada);
  expect(await ci('push', '--yes')).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'created' });
  put(ada.folder, { 'count.ts': 'count_2' });
  repository.commit(ada);
  const job = repository.checkout(envs.ci);
  const refused = await job.vals('push');
  expect(refused).toMatchObject({ exit: 5, stderr: expect.stringContaining('`vals push --yes`') });
  expect(await ci('push', '--yes')).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'pushed' });
  expect(await ada.status()).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'unchanged' });
  expect(await ada.words(['push'])).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'unchanged' });
  repository.commit(ada);

  // A colleague edits one file, and the author another one and the same one.
  const bob = repository.checkout(envs.bob);
  expect(await bob.status()).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'unchanged' });
  put(bob.folder, { 'greet.ts': 'greet_2' });
  expect(await bob.words(['push'])).toMatchObject({ 'greet.ts': 'pushed' });
  repository.commit(bob);
  put(ada.folder, { 'count.ts': 'count_3' });
  expect(await ada.words(['push'])).toEqual({ 'greet.ts': 'behind', 'count.ts': 'pushed' });
  put(ada.folder, { 'greet.ts': 'greet_of_ada' });
  expect(await ada.words(['push'], 5)).toMatchObject({ 'greet.ts': 'failed' });
  put(ada.folder, { 'greet.ts': 'greet_2' });
  expect(await ada.status()).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'unchanged' });
  repository.commit(ada);

  // A hotfix on the service: a checkout that is behind does not overwrite it, CI does.
  const stale = repository.checkout(envs.bob);
  put(bob.folder, { 'fix.txt': 'greet_3' });
  await bob.vals('version', 'new', 'greet', 'fix.txt', '--no-check');
  bob.remove('fix.txt');
  expect(await ada.words(['push'])).toMatchObject({ 'greet.ts': 'behind' });
  expect(await ada.words(['pull'])).toMatchObject({ 'greet.ts': 'pulled' });
  put(stale.folder, { 'count.ts': 'count_4' });
  expect(await stale.status()).toEqual({ 'greet.ts': 'differs', 'count.ts': 'differs' });
  expect(await stale.words(['push', 'count.ts', '--yes'])).toEqual({ 'count.ts': 'pushed' });
  expect(await code(stale, 'greet')).toBe('greet_3');
  expect(await ci('push', '--yes')).toEqual({ 'greet.ts': 'pushed', 'count.ts': 'pushed' });
  expect(await code(stale, 'greet')).toBe('greet_2');

  // Renames: of a val in vals.json, and of a file in git.
  repository.update(ada);
  put(ada.folder, { 'vals.json': ada.read('vals.json').replace('"count"', '"counter"') });
  expect(await ada.words(['push'])).toMatchObject({ 'count.ts': 'renamed' });
  expect(await bob.rows(['push', 'count.ts'])).toMatchObject([{ status: 'behind' }]);
  repository.commit(ada);
  repository.update(bob);
  put(bob.folder, { 'lib/count.ts': bob.read('count.ts') });
  bob.remove('count.ts');
  repository.commit(bob);
  const moved = { 'greet.ts': 'unchanged', 'lib/count.ts': 'unchanged' };
  expect(await ci('push', '--yes')).toEqual(moved);
  await bob.vals('push');
  repository.commit(bob);
  repository.update(ada);
  expect(await ada.status()).toEqual(moved);

  // A file is deleted in git.
  ada.remove('lib/count.ts');
  repository.commit(ada);
  expect(await ci('push', '--yes')).toMatchObject({ 'lib/count.ts': 'skipped' });
  expect(await ci('push', '--prune', '--yes')).toMatchObject({ 'lib/count.ts': 'deleted' });
  expect(await ci('push', '--prune', '--yes')).toMatchObject({ 'lib/count.ts': 'unchanged' });
  expect(await bob.status()).toMatchObject({ 'lib/count.ts': 'deleted there' });
  const [failed] = await bob.rows(['push', 'lib/count.ts'], 5);
  expect(failed?.error?.hint).toContain('`vals forget lib/count.ts`');

  // A moved folder and a lost data directory cost a question.
  const aside = new Place(`${ada.folder}-moved`, ada.env, ada.home);
  renameSync(ada.folder, aside.folder);
  put(aside.folder, { 'greet.ts': 'greet_4' });
  expect(await aside.words(['push', 'greet.ts'], 5)).toEqual({ 'greet.ts': 'failed' });
  renameSync(aside.folder, ada.folder);
  expect(await ada.words(['push', 'greet.ts'])).toEqual({ 'greet.ts': 'pushed' });
  ada.loseRecords();
  expect(await ada.status()).toMatchObject({ 'greet.ts': 'unchanged' });
  put(ada.folder, { 'greet.ts': 'greet_5' });
  expect(await ada.words(['push', 'greet.ts'])).toEqual({ 'greet.ts': 'pushed' });
});

test('two checkouts on the embedded service find each other by the names of the vals', async () => {
  const { repository, envs } = await officeOf({ isLocal: true });
  const first = new Place(temporaryFolder(), envs.ada);
  put(first.folder, { 'a.ts': 'a' });
  await first.vals('init');
  await first.vals('push');
  repository.commit(first);
  const second = repository.checkout(envs.bob);
  expect(await second.status()).toEqual({ 'a.ts': 'unchanged' });
  put(second.folder, { 'a.ts': 'a2' });
  expect(await second.words(['push'])).toEqual({ 'a.ts': 'pushed' });
  put(first.folder, { 'a.ts': 'a3' });
  expect(await first.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(await first.words(['push', '.', '--force'])).toEqual({ 'a.ts': 'pushed' });
});

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
