import { expect, test } from 'vitest';
import { revoke } from '../../../src/service/store/spaces.ts';
import { runQuickly } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { signIn } from '../../support/sign-in.ts';
import { startTeam } from '../support/team.ts';

test('one sign-in serves the person and their spaces, and vals use switches between them', async () => {
  const { ada, baseUrl, space, store } = await startTeam();
  const rows = async (...words: string[]) => JSON.parse((await ada.vals([...words, '--json'])).stdout);
  const signedIn = await signIn(ada, space);
  expect(JSON.parse(signedIn.stdout)).toMatchObject({ username: 'ada', baseUrl: space });
  expect(await rows('me')).toMatchObject({ username: 'acme', actor: { username: 'ada' } });
  expect((await ada.vals(['me'])).stdout).toMatch(/^acme\t.*\tada\n$/);
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
