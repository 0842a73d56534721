import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, temporaryFolder } from '../support/program.ts';
import { signIn } from '../support/sign-in.ts';
import { startTeam } from '../support/team.ts';
import { Place, workspaceWith } from './support.ts';

const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' }).toString();

/** A git repository that people and a CI job share. */
function sharedRepository() {
  const shared = temporaryFolder();
  git(shared, 'init', '-q', '--bare', '--initial-branch', 'main');
  return {
    /** A fresh checkout on a machine that knows nothing. */
    checkout(env: Record<string, string>, ...options: string[]): Place {
      const folder = join(temporaryFolder(), 'site');
      git(shared, 'clone', '-q', ...options, `file://${shared}`, folder);
      return new Place(folder, env);
    },
    commit({ folder }: Place): void {
      git(folder, 'add', '-A');
      git(folder, 'commit', '-qm', 'change');
      git(folder, 'pull', '-q', '--rebase', 'origin', 'main');
      git(folder, 'push', '-q', 'origin', 'HEAD:main');
    },
    update: ({ folder }: Place): string => git(folder, 'pull', '-q', '--rebase', 'origin', 'main'),
  };
}

test('two people and CI work on one repository for a day', async () => {
  const { baseUrl, space, store, ...people } = await startTeam();
  const tokenOfCi = (await store.people.add('ci'))?.token ?? '';
  await store.spaces.grant('acme', 'ci', 'write');
  const envOf = (token: string) => ({ VALS_BASE_URL: space, VALS_TOKEN: token });
  const envs = { ada: envOf(people.ada.token), bob: envOf(people.bob.token), ci: envOf(tokenOfCi) };
  const repository = sharedRepository();
  const ci = (args: string[], exit = 0) => repository.checkout(envs.ci).words(args, exit);

  // The author's first push is done by CI. Her next one is no conflict with her own commit.
  const ada = repository.checkout(envs.ada);
  git(ada.folder, 'checkout', '-qb', 'main');
  ada.put({ 'vals.json': '{}', 'greet.ts': 'greet_1', 'count.ts': 'count_1' });
  git(ada.folder, 'add', '-A');
  git(ada.folder, 'commit', '-qm', 'first');
  git(ada.folder, 'push', '-q', 'origin', 'main');
  expect(await ci(['push'])).toEqual({ 'greet.ts': 'created', 'count.ts': 'created' });
  ada.put({ 'count.ts': 'count_2' });
  expect(await ada.words(['push'])).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'pushed' });
  repository.commit(ada);
  expect(await ci(['push'])).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'unchanged' });

  // A colleague commits, and CI deploys. The author's checkout is behind, and edits the same val.
  const bob = repository.checkout(envs.bob);
  bob.put({ 'greet.ts': 'greet_2' });
  repository.commit(bob);
  expect(await ci(['push'])).toMatchObject({ 'greet.ts': 'pushed' });
  ada.put({ 'count.ts': 'count_3' });
  expect(await ada.words(['push'])).toEqual({ 'greet.ts': 'behind', 'count.ts': 'pushed' });
  ada.put({ 'greet.ts': 'greet_of_ada' });
  expect(await ada.words(['push'], 5)).toMatchObject({ 'greet.ts': 'failed' });
  ada.put({ 'greet.ts': 'greet_1' });
  repository.commit(ada);
  expect(await ada.status()).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'unchanged' });

  // A hotfix on the service survives the deploy of other files, and stops the deploy of its own.
  await bob.pipe('greet_3', 'version', 'new', 'greet', '--no-check');
  ada.put({ 'count.ts': 'count_4' });
  repository.commit(ada);
  expect(await ci(['push'])).toEqual({ 'greet.ts': 'behind', 'count.ts': 'pushed' });
  ada.put({ 'greet.ts': 'greet_4' });
  repository.commit(ada);
  expect(await ci(['push'], 5)).toEqual({ 'greet.ts': 'failed', 'count.ts': 'unchanged' });
  const shallow = await repository.checkout(envs.ci, '--depth', '1').vals('push');
  expect(shallow).toMatchObject({ exit: 5, stderr: expect.stringContaining('fetch-depth: 0') });
  expect(await ci(['push', '--force'])).toMatchObject({ 'greet.ts': 'pushed' });

  // A file is renamed, and then deleted, in git. CI commits nothing.
  git(ada.folder, 'mv', 'count.ts', 'counter.ts');
  repository.commit(ada);
  const renaming = repository.checkout(envs.ci);
  expect(await renaming.rows(['push'])).toMatchObject([
    { file: 'counter.ts', name: 'counter', nameBefore: 'count', status: 'renamed' },
    { status: 'unchanged' },
  ]);
  expect(git(renaming.folder, 'status', '--porcelain')).toBe('');
  repository.update(bob);
  expect(await bob.status()).toEqual({ 'greet.ts': 'unchanged', 'counter.ts': 'unchanged' });
  ada.remove('counter.ts');
  repository.commit(ada);
  expect(await ci(['push'])).toEqual({ 'greet.ts': 'unchanged' });
  expect(await ci(['push', '--prune', '--yes'])).toMatchObject({ 'counter.ts': 'deleted' });
  expect(await bob.status()).toMatchObject({ 'counter.ts': 'deleted there' });

  // Without its records, as in a moved folder, a clone knows from git which side is newer.
  const aside = new Place(`${ada.folder}-moved`, ada.env);
  renameSync(ada.folder, aside.folder);
  aside.put({ 'greet.ts': 'greet_5' });
  expect(await aside.words(['push'])).toEqual({ 'greet.ts': 'pushed' });

  // A person loses access.
  await store.spaces.revoke('acme', 'bob');
  for (const command of ['status', 'push', 'pull']) {
    const { exit, stderr } = await bob.vals(command);
    expect({ command, exit }).toEqual({ command, exit: 3 });
    expect(stderr).toContain(`There is no space acme on ${baseUrl}, or you are not a member of that space.`);
    expect(stderr).toContain('`vals space grant acme <username>`');
  }
});

test('two folders on the embedded service find each other by the names of the vals', async () => {
  const env = { VALS_LOCAL: '1', VALS_DATA_DIR: temporaryFolder() };
  const first = workspaceWith(env, { 'a.ts': 'a' });
  await first.vals('push');
  const second = workspaceWith(env, { 'a.ts': 'a' });
  expect(await second.status()).toEqual({ 'a.ts': 'unchanged' });
  second.put({ 'a.ts': 'a2' });
  expect(await second.words(['push'])).toEqual({ 'a.ts': 'pushed' });
  first.put({ 'a.ts': 'a3' });
  expect(await first.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(await first.words(['push', '.', '--force'])).toEqual({ 'a.ts': 'pushed' });
});

test('vals that were copied to a space are found again by their names', async () => {
  const { ada, space, baseUrl } = await startTeam();
  await signIn(ada, baseUrl);
  const cwd = folderOf({ 'greet.ts': 'export default () => 1;\n', 'vals.json': '{}' });
  await ada.vals(['push'], { cwd });
  expect((await ada.vals(['copy', '--all', '--to', space], { cwd })).exit).toBe(0);
  await ada.vals(['use', space]);
  for (const command of ['push', 'status'])
    expect((await ada.vals([command], { cwd })).stdout).toMatch(/^unchanged\tgreet\t/);
});
