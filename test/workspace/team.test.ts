import { cpSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startService } from '../../src/service/index.ts';
import { folderOf, temporaryFolder } from '../support/program.ts';
import { reachable } from '../support/reachable.ts';
import { frontOf } from '../support/service-in-process.ts';
import { signIn } from '../support/sign-in.ts';
import { type Person, startTeam, type Team } from '../support/team.ts';
import { manifestWith, Place, workspaceWith } from './support.ts';

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

test('two people and CI work on one repository for a day', async () => {
  const repository = new Repository();
  const { baseUrl, space, store, ...people } = await startTeam();
  const tokenOfCi = (await store.people.add('ci'))?.token ?? '';
  await store.spaces.grant('acme', 'ci', 'write');
  const envOf = (token: string) => ({ VALS_BASE_URL: space, VALS_TOKEN: token });
  const envs = { ada: envOf(people.ada.token), bob: envOf(people.bob.token), ci: envOf(tokenOfCi) };
  const ada = new Place(temporaryFolder(), envs.ada);
  const ci = (...args: string[]) => repository.checkout(envs.ci).words(args);
  const code = async (place: Place, name: string) => (await place.vals('val', 'get', name, '--code')).stdout;

  // A new file is pushed by its author, the next one only by CI, which nobody commits the id of.
  ada.put({ 'greet.ts': 'greet_1' });
  await ada.vals('init');
  expect(await ada.words(['push'])).toEqual({ 'greet.ts': 'created' });
  ada.put({ 'count.ts': 'count_1' });
  repository.commit(ada);
  expect(await ci('push', '--yes')).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'created' });
  ada.put({ 'count.ts': 'count_2' });
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
  bob.put({ 'greet.ts': 'greet_2' });
  expect(await bob.words(['push'])).toMatchObject({ 'greet.ts': 'pushed' });
  repository.commit(bob);
  ada.put({ 'count.ts': 'count_3' });
  expect(await ada.words(['push'])).toEqual({ 'greet.ts': 'behind', 'count.ts': 'pushed' });
  ada.put({ 'greet.ts': 'greet_of_ada' });
  expect(await ada.words(['push'], 5)).toMatchObject({ 'greet.ts': 'failed' });
  ada.put({ 'greet.ts': 'greet_2' });
  expect(await ada.status()).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'unchanged' });
  repository.commit(ada);

  // A hotfix on the service: a checkout that is behind does not overwrite it, CI does.
  const stale = repository.checkout(envs.bob);
  bob.put({ 'fix.txt': 'greet_3' });
  await bob.vals('version', 'new', 'greet', 'fix.txt', '--no-check');
  bob.remove('fix.txt');
  expect(await ada.words(['push'])).toMatchObject({ 'greet.ts': 'behind' });
  expect(await ada.words(['pull'])).toMatchObject({ 'greet.ts': 'pulled' });
  stale.put({ 'count.ts': 'count_4' });
  expect(await stale.status()).toEqual({ 'greet.ts': 'differs', 'count.ts': 'differs' });
  expect(await stale.words(['push', 'count.ts', '--yes'])).toEqual({ 'count.ts': 'pushed' });
  expect(await code(stale, 'greet')).toBe('greet_3');
  expect(await ci('push', '--yes')).toEqual({ 'greet.ts': 'pushed', 'count.ts': 'pushed' });
  expect(await code(stale, 'greet')).toBe('greet_2');

  // Renames: of a val in vals.json, and of a file in git.
  repository.update(ada);
  ada.put({ 'vals.json': ada.read('vals.json').replace('"count"', '"counter"') });
  expect(await ada.words(['push'])).toMatchObject({ 'count.ts': 'renamed' });
  expect(await bob.rows(['push', 'count.ts'])).toMatchObject([{ status: 'behind' }]);
  repository.commit(ada);
  repository.update(bob);
  bob.put({ 'lib/count.ts': bob.read('count.ts') });
  bob.remove('count.ts');
  repository.commit(bob);
  const moved = { 'greet.ts': 'unchanged', 'lib/count.ts': 'unchanged' };
  expect(await ci('push', '--yes')).toEqual({ ...moved, 'lib/count.ts': 'moved' });
  await bob.vals('push');
  repository.commit(bob);
  repository.update(ada);
  expect(await ada.status()).toEqual(moved);

  // A file is deleted in git.
  ada.remove('lib/count.ts');
  repository.commit(ada);
  expect(await ci('push', '--yes')).toMatchObject({ 'lib/count.ts': 'skipped' });
  expect(await ci('push', '--prune', '--yes')).toMatchObject({ 'lib/count.ts': 'deleted' });
  expect(await ci('push', '--prune', '--yes')).not.toHaveProperty(['lib/count.ts']);
  expect(await bob.status()).toMatchObject({ 'lib/count.ts': 'deleted there' });
  const [failed] = await bob.rows(['push', 'lib/count.ts'], 5);
  expect(failed?.error?.hint).toContain('`vals forget lib/count.ts`');

  // A moved folder and a lost data directory cost a question.
  const aside = new Place(`${ada.folder}-moved`, ada.env, ada.home);
  renameSync(ada.folder, aside.folder);
  aside.put({ 'greet.ts': 'greet_4' });
  expect(await aside.words(['push', 'greet.ts'], 5)).toEqual({ 'greet.ts': 'failed' });
  renameSync(aside.folder, ada.folder);
  expect(await ada.words(['push', 'greet.ts'])).toEqual({ 'greet.ts': 'pushed' });
  ada.loseRecords();
  expect(await ada.status()).toMatchObject({ 'greet.ts': 'unchanged' });
  ada.put({ 'greet.ts': 'greet_5' });
  expect(await ada.words(['push', 'greet.ts'])).toEqual({ 'greet.ts': 'pushed' });

  // A person loses access.
  const committed = bob.read('vals.json');
  await store.spaces.revoke('acme', 'bob');
  for (const command of ['status', 'push', 'pull']) {
    const { exit, stderr } = await bob.vals(command);
    expect({ command, exit }).toEqual({ command, exit: 3 });
    expect(stderr).toContain(`There is no space acme on ${baseUrl}, or you are not a member of that space.`);
    expect(stderr).toContain('`vals space grant acme <username>`');
  }
  expect(bob.read('vals.json')).toBe(committed);
});

test('two checkouts on the embedded service find each other by the names of the vals', async () => {
  const env = { VALS_LOCAL: '1', VALS_DATA_DIR: temporaryFolder() };
  const first = workspaceWith(env, { 'a.ts': 'a' });
  await first.vals('push');
  const second = new Place(temporaryFolder(), env);
  replaceFiles(first.folder, second.folder);
  expect(await second.status()).toEqual({ 'a.ts': 'unchanged' });
  second.put({ 'a.ts': 'a2' });
  expect(await second.words(['push'])).toEqual({ 'a.ts': 'pushed' });
  first.put({ 'a.ts': 'a3' });
  expect(await first.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(await first.words(['push', '.', '--force'])).toEqual({ 'a.ts': 'pushed' });
  const third = workspaceWith(env, manifestWith('b.ts', 'b'));
  expect((await third.vals('val', 'get', 'b')).stderr).toContain('but not on the embedded service');
});

describe('a file whose id is of another owner or service', () => {
  /** Ada uses her own account in a folder whose vals.json has other ids. */
  async function withIds(idsOf: (named: Team, direct: Team) => Promise<Record<string, string>>) {
    const team = await startTeam();
    await signIn(team.ada, team.baseUrl);
    const front = await frontOf({ baseUrl: team.baseUrl, token: team.ada.token }, () => undefined);
    const env = await reachable(front.env);
    const named = { ...team, baseUrl: env.VALS_BASE_URL, space: `${env.VALS_BASE_URL}/@acme` };
    const ids = await idsOf(named, team);
    const files = { 'greet.ts': 'greet_1', ...manifestWith('greet.ts', 'greet', ids) };
    return { ...named, place: workspaceWith(env, files) };
  }

  const idOfVal = async ({ vals, token }: Person, at: string, ...options: string[]): Promise<string> => {
    const env = { VALS_BASE_URL: at, VALS_TOKEN: token };
    const args = ['val', 'create', 'greet', ...options, '--json'];
    return JSON.parse((await vals(args, { input: 'code', env })).stdout).id;
  };

  test('is not pushed, and the messages name the space, but no other service', async () => {
    const { place, ada, space, baseUrl } = await withIds(async ({ space }, direct) => ({
      'https://stranger.example': 'some-id',
      [space]: await idOfVal(direct.ada, direct.space),
    }));
    const warning = `vals were pushed to https://stranger.example and ${space}, but the service in use is ${baseUrl}.`;
    const status = await place.vals('status');
    expect(status.stdout).toMatch(/^not yours\tgreet\t/);
    expect(status.stderr).toContain(warning);
    const push = await place.vals('push', '--json');
    expect(push.stderr).toContain(warning);
    expect(push).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
    expect(push.error?.message).toContain(`The val was pushed to ${space}`);
    expect(push.error?.hint).toContain(`vals use ${space}`);
    expect(JSON.stringify(push.error)).not.toContain('stranger');
    expect((await ada.vals(['ls'])).stdout).toBe('');
  });

  test('is not pushed, and the hint does not name a space that is not the owner', async () => {
    const { place, space } = await withIds(async ({ space }, direct) => ({
      [space]: await idOfVal(direct.bob, direct.baseUrl, '--privacy', 'public'),
    }));
    const { exit, error } = await place.vals('push', '--json');
    expect(exit).toBe(5);
    expect(error?.message).toContain('The val belongs to bob');
    expect(error?.hint).not.toContain(space);
  });

  test('is new on this service, and the warning names three of many others', async () => {
    const services = [1, 2, 3, 4, 5].map((number) => `https://${number}.example`);
    const { place } = await withIds(async () =>
      Object.fromEntries(services.map((each) => [each, 'some-id'])),
    );
    const { stdout, stderr } = await place.vals('status');
    expect(stdout).toMatch(/^new\tgreet\t/);
    expect(stderr).toContain('https://1.example, https://2.example, https://3.example and 2 more, but');
  });
});

test('vals that were copied to a space are found again by their names', async () => {
  const { ada, space, baseUrl } = await startTeam();
  await signIn(ada, baseUrl);
  const cwd = folderOf({ 'greet.ts': 'export default () => 1;\n', 'vals.json': '{"vals":{}}' });
  await ada.vals(['push'], { cwd });
  expect((await ada.vals(['copy', '--all', '--to', space], { cwd })).exit).toBe(0);
  await ada.vals(['use', space]);
  const push = await ada.vals(['push', '--json'], { cwd });
  expect(push.exit).toBe(5);
  expect(push.error?.hint).toContain('vals push --fork');
  expect((await ada.vals(['push', 'greet.ts', '--fork'], { cwd })).stdout).toMatch(/^unchanged\tgreet\t/);
  expect((await ada.vals(['status'], { cwd })).stdout).toMatch(/^unchanged\tgreet\t/);
  const { vals } = JSON.parse(readFileSync(join(cwd, 'vals.json'), 'utf8'));
  expect(vals['greet.ts']).toEqual({ name: 'greet' });
});

test('two developers whose own services have one address share a repository', async () => {
  const repository = new Repository();
  const ada = new Place(temporaryFolder(), {});
  ada.put({ 'greet.ts': 'greet_1' });
  let port = 0;
  const asDeveloper = async (work: (env: Record<string, string>) => Promise<void>) => {
    const service = await startService({ file: join(temporaryFolder(), 'vals.db'), port });
    ({ port } = service);
    await work({ VALS_BASE_URL: service.baseUrl, VALS_TOKEN: service.token ?? '' }).finally(service.close);
  };
  await asDeveloper(async (env) => {
    const here = new Place(ada.folder, env, ada.home);
    await here.vals('init');
    expect(await here.words(['push'])).toEqual({ 'greet.ts': 'created' });
    expect(here.manifest().vals).toEqual({ 'greet.ts': { name: 'greet' } });
    here.put({ 'greet.ts': 'greet_2' });
    expect(await here.words(['push'])).toEqual({ 'greet.ts': 'pushed' });
    repository.commit(here);
  });
  await asDeveloper(async (env) => {
    const bob = repository.checkout(env);
    expect(await bob.status()).toEqual({ 'greet.ts': 'new' });
    expect(await bob.words(['push'])).toEqual({ 'greet.ts': 'created' });
    expect(bob.manifest().vals).toEqual({ 'greet.ts': { name: 'greet' } });
    // An id that somebody committed by hand means nothing here.
    bob.put(manifestWith('greet.ts', 'greet', { [`${env.VALS_BASE_URL}`]: 'of-ada' }));
    expect(await bob.status()).toEqual({ 'greet.ts': 'unchanged' });
  });
});

test('a val of a space on this machine is not yours, and the warning names other services', async () => {
  const { ada, space, baseUrl } = await startTeam();
  const env = { VALS_BASE_URL: space, VALS_TOKEN: ada.token };
  const place = workspaceWith(env, { 'greet.ts': 'greet_1' });
  expect(await place.words(['push'])).toEqual({ 'greet.ts': 'created' });
  const own = new Place(place.folder, { ...env, VALS_BASE_URL: baseUrl }, place.home);
  const { stdout, stderr } = await own.vals('status');
  expect(stdout).toMatch(/^not yours\tgreet\t/);
  expect(stderr).toContain(`The vals were pushed to ${space}, but the service in use is ${baseUrl}.`);
  expect(await own.words(['push', '--force'], 5)).toEqual({ 'greet.ts': 'failed' });
  expect(await own.words(['push', '--fork'])).toEqual({ 'greet.ts': 'created' });
  for (const each of [own, place]) expect(await each.status()).toEqual({ 'greet.ts': 'unchanged' });
});
