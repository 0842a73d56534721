// A workspace of several people, with the shared service.
import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createPerson } from '../../src/service/store/people.ts';
import { grant, revoke } from '../../src/service/store/spaces.ts';
import { startTeam } from '../service/support/team.ts';
import { Clone, repository } from '../workspace/places.ts';

test('people and CI share a repository and a space', async () => {
  const { baseUrl, space, store, ...people } = await startTeam();
  const tokenOfCi = (await createPerson(store.db, 'ci'))?.token ?? '';
  await grant(store.db, 'acme', 'ci', 'write');
  const envOf = (token: string) => ({ VALS_BASE_URL: space, VALS_TOKEN: token });
  const ada = repository(envOf(people.ada.token), { 'greet.ts': 'greet_1', 'count.ts': 'count_1' });
  const elsewhere = (token: string) => new Clone(ada.clone().folder, envOf(token));
  const ci = (args: string[], exit = 0) => elsewhere(tokenOfCi).words(args, exit);

  // The author's first push is done by CI. Her next one is no conflict with her own commit.
  expect(await ci(['push'])).toEqual({ 'greet.ts': 'created', 'count.ts': 'created' });
  ada.put({ 'count.ts': 'count_2' });
  expect(await ada.words(['push'])).toEqual({ 'greet.ts': 'unchanged', 'count.ts': 'pushed' });
  ada.commit();

  // A hotfix on the service survives the deploy of other files, and stops the deploy of its own.
  const bob = elsewhere(people.bob.token);
  await bob.pipe('greet_2', 'version', 'new', 'greet', '--no-check');
  ada.commit({ 'count.ts': 'count_3' });
  expect(await ci(['push'])).toEqual({ 'greet.ts': 'behind', 'count.ts': 'pushed' });
  ada.commit({ 'greet.ts': 'greet_3' });
  expect(await ci(['push'], 5)).toEqual({ 'greet.ts': 'failed', 'count.ts': 'unchanged' });
  expect(await ci(['push', '--force'])).toMatchObject({ 'greet.ts': 'pushed' });

  // Without its records, as in a moved folder, a clone knows from git which side is newer.
  const aside = new Clone(`${ada.folder}-moved`, ada.env);
  renameSync(ada.folder, aside.folder);
  aside.put({ 'greet.ts': 'greet_4' });
  expect(await aside.words(['push'])).toMatchObject({ 'greet.ts': 'pushed' });

  // A person loses access.
  await revoke(store.db, 'acme', 'bob');
  for (const command of ['status', 'push', 'pull']) {
    const { exit, stderr } = await bob.vals(command);
    expect({ command, exit }).toEqual({ command, exit: 3 });
    expect(stderr).toContain(`There is no space acme on ${baseUrl}, or you are not a member of that space.`);
    expect(stderr).toContain('ask the person who runs the service');
  }
});
