import { describe, expect, test } from 'vitest';
import { lines } from '../../core/output/support.ts';
import { run, runOnScreen } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { startTeam } from '../support/team.ts';

const tokenForm = /^vals_[\w-]{43}$/;

describe('vals token', () => {
  test('shows a token whole in a narrow window, and when it ends in local time', async () => {
    const { ada, baseUrl } = await startTeam();
    const env = { VALS_BASE_URL: baseUrl, VALS_TOKEN: ada.token, TZ: 'Asia/Tokyo' };
    const onScreen = async (...args: string[]) =>
      lines((await runOnScreen(['token', ...args, '--no-color'], { env, columns: 40 })).screen);
    const added = await onScreen('add', 'ci', '--read-only', '--expires', '12d');
    expect(added).toContainEqual(expect.stringMatching(/^token +vals_[\w-]{43}$/));
    expect(added.join('\n')).toMatch(/^ends +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( |\n +)\(in 1[12]d\)$/m);
    await onScreen('add', 'deploy-from-actions');
    const listed = (await onScreen('ls')).join('\n');
    expect(listed).toMatch(/^ci .* in 1[12]d$/m);
    expect(listed).toMatch(/^deploy-from-actions /m);
    const token = added.find((line) => line.startsWith('token '))?.split(/ +/)[1] ?? '';
    const me = await runOnScreen(['me', '--no-color'], { env: { ...env, VALS_TOKEN: token } });
    expect(lines(me.screen)).toContainEqual(expect.stringMatching(/^token +ci \(reads only\)$/));
    expect(lines(me.screen)).toContainEqual(expect.stringMatching(/^token ends +\d.*\(in 1[12]d\)$/));
  });

  test('refuses an age that no date can have', async () => {
    const { exit, stderr } = await run(['token', 'add', 'ci', '--expires', '99999999999d']);
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('--expires takes a time') });
  });

  test('makes a token that works, lists it without the secret, and ends it', async () => {
    const { ada, baseUrl } = await startTeam();
    const env = { VALS_BASE_URL: baseUrl, VALS_TOKEN: ada.token };
    const vals = (args: string[]) => ada.vals(args, { env });
    const added = await vals(['token', 'add', 'ci', '--read-only', '--expires', '90d', '--json']);
    expect(added).toMatchObject({ exit: 0, stderr: '' });
    const { token, ...record } = JSON.parse(added.stdout);
    expect(token).toMatch(tokenForm);
    expect(record).toMatchObject({ name: 'ci', readOnly: true, space: null });
    expect(Date.parse(record.expiresAt) - Date.now()).toBeGreaterThan(89 * 86_400_000);
    const asCi = { env: { ...env, VALS_TOKEN: token } };
    expect(await run(['me', '--json'], asCi)).toMatchObject({ exit: 0 });
    expect(await run(['push', '-', '--name', 'v'], { ...asCi, input: 'export default 1' })).toMatchObject({
      exit: 4,
    });
    const listed = await vals(['token', 'ls', '--json']);
    expect(JSON.parse(listed.stdout)).toEqual([
      { ...record, lastUsedAt: expect.stringMatching(/:00\.000Z$/) },
      expect.objectContaining({ name: 'first' }),
    ]);
    expect(await vals(['token', 'rm', 'ci'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--yes'),
    });
    const { id } = record;
    const rm = async (...words: string[]) =>
      JSON.parse((await vals(['token', 'rm', '--json', ...words])).stdout);
    expect(await rm('ci', '--dry-run')).toEqual([{ id, name: 'ci', status: 'planned' }]);
    expect(await rm(id.slice(0, 8), '--dry-run')).toEqual([{ id, name: 'ci', status: 'planned' }]);
    expect(await rm('ci', '--yes')).toEqual([{ id, name: 'ci', status: 'deleted' }]);
    expect(await run(['me'], asCi)).toMatchObject({ exit: 4 });
    expect(await vals(['token', 'rm', 'ci', '--yes'])).toMatchObject({ exit: 3 });
  });

  test('makes a token for one space at the base URL of the space', async () => {
    const { ada, baseUrl, space } = await startTeam();
    const env = { VALS_BASE_URL: space, VALS_TOKEN: ada.token };
    const { token, space: name } = JSON.parse(
      (await ada.vals(['token', 'add', 'ci', '--json'], { env })).stdout,
    );
    expect(name).toBe('acme');
    const ci = (base: string) => ({
      env: { VALS_BASE_URL: base, VALS_TOKEN: token },
      input: 'export default 1',
    });
    expect(await run(['push', '-', '--name', 'v'], ci(space))).toMatchObject({ exit: 0 });
    const versions = await ada.vals(['version', 'ls', 'v'], { env });
    expect(versions.stdout).toMatch(/\tada \(ci\)\n$/);
    const outside = await run(['push', '-', '--name', 'v', '--json'], ci(baseUrl));
    expect(outside).toMatchObject({
      exit: 4,
      error: { hint: expect.stringContaining('base URL of the space') },
    });
    expect(outside.error?.message).toContain(`The base URL of the space is ${space}.`);
    const signIn = await run(['login', baseUrl, '--with-token'], { input: token });
    expect(signIn).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining(`\`vals login ${space} --with`),
    });
    expect(await ada.vals(['token', 'add', 'ci'], { env })).toMatchObject({
      exit: 5,
      stderr: expect.stringMatching(/^error: There is a token named ci already\.\n.*`vals token rm ci`/),
    });
  });

  test('ends the one with the name that was made at this base URL, and any other by its id', async () => {
    const { ada, baseUrl, space } = await startTeam();
    const at = (base: string) => ({ env: { VALS_BASE_URL: base, VALS_TOKEN: ada.token } });
    const vals = async (base: string, ...words: string[]) => {
      const { stdout } = await ada.vals(['token', ...words, '--json'], at(base));
      return stdout === '' ? [] : JSON.parse(stdout);
    };
    const own = await vals(baseUrl, 'add', 'ci');
    const ofSpace = await vals(space, 'add', 'ci');
    const { id } = await vals(space, 'add', 'deploy');
    const notHere = await ada.vals(['token', 'rm', 'deploy', '--yes', '--json'], at(baseUrl));
    expect(notHere).toMatchObject({
      exit: 3,
      error: { message: expect.stringMatching(/ for the space acme\.$/) },
    });
    expect(notHere.error?.hint).toContain(`\`vals token rm ${id}\``);
    expect(await vals(space, 'rm', 'ci', '--dry-run')).toMatchObject([{ id: ofSpace.id }]);
    expect(await vals(baseUrl, 'rm', 'ci', '--yes')).toMatchObject([{ id: own.id, status: 'deleted' }]);
    expect(await ada.vals(['token', 'rm', 'ci', '--yes'], at(baseUrl))).toMatchObject({ exit: 3 });
    expect(await vals(baseUrl, 'rm', ofSpace.id, '--yes')).toMatchObject([{ status: 'deleted' }]);
  });

  test('a limited token makes none, is told so by its name, and ends itself', async () => {
    const { ada, baseUrl } = await startTeam();
    const as = (token: string) => ({ env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: token } });
    const { stdout } = await run(['token', 'add', 'reader', '--read-only', '--json'], as(ada.token));
    const { token } = JSON.parse(stdout);
    expect(await run(['token', 'add', 'ci', '--json'], as(token))).toMatchObject({
      exit: 4,
      error: {
        message: expect.stringMatching(/^The token reader makes no tokens, because it is limited/),
        hint: expect.stringContaining('Use a token without limits.'),
      },
    });
    const inUse = 'reader is the token in use. Once it has ended, sign in with another one.\n';
    expect(await run(['token', 'rm', 'reader', '--dry-run'], as(ada.token))).toMatchObject({ stderr: '' });
    expect(await run(['token', 'rm', 'reader', '--yes'], as(token))).toMatchObject({
      exit: 0,
      stderr: inUse,
    });
    expect(await run(['me'], as(token))).toMatchObject({ exit: 4 });
  });

  test.each([404, 405])(
    'says that a service which answers %i makes tokens on its own page',
    async (status) => {
      const { env } = await scriptedService([], () => ({ status, body: {} }));
      for (const args of [['ls'], ['add', 'ci'], ['rm', 'ci', '--yes']]) {
        expect(await run(['token', ...args], { env })).toMatchObject({
          exit: 3,
          stderr: expect.stringContaining("tokens are made on the service's own page"),
        });
      }
    },
  );

  test('--dry-run of add sends nothing', async () => {
    const { env } = await scriptedService([]);
    const { exit, stdout } = await run(['token', 'add', 'ci', '--dry-run', '--json'], { env });
    expect([exit, JSON.parse(stdout)]).toEqual([
      0,
      { method: 'POST', path: '/v1/me/tokens', body: { name: 'ci' } },
    ]);
  });
});
