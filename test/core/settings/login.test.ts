import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { quickRetries } from '../../support/clocks.ts';
import { inProcess } from '../../support/in-process.ts';
import {
  environment,
  program,
  run,
  runAtTerminal,
  runOnScreen,
  temporaryFolder,
} from '../../support/program.ts';
import { reachable } from '../../support/proxy.ts';
import { type Reply, scriptedService, testToken } from '../../support/scripted-service.ts';
import { signIn } from '../../support/sign-in.ts';
import { startStrict } from '../../support/strict-service.ts';
import { accepted, bearer, configFile, forAll, storedText, writeConfig } from './support.ts';

describe('vals login', () => {
  it.each([
    [['--allow-http'], {}, 1],
    [[], { VALS_ALLOW_HTTP: '1' }, 0],
  ])('%j, %j to http:// of another machine: %i word on later commands', async (options, env, count) => {
    const home = temporaryFolder();
    const { VALS_BASE_URL, HTTP_PROXY } = await reachable((await startStrict()).env);
    const args = ['login', VALS_BASE_URL, '--with-token', ...options];
    const { exit, stderr } = await run(args, { home, env: { HTTP_PROXY, ...env }, input: testToken });
    const words = stderr.split('Later commands need VALS_ALLOW_HTTP=1 or --allow-http, too.').length - 1;
    expect({ exit, words }).toEqual({ exit: 0, words: count });
  });

  it('--with-token stores a token that the service accepts, and only its owner can read the file', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, accepted]);
    // With `umask 000` the system removes no permission, so the program itself has to protect the file.
    const login = `umask 000; "$0" "$1" login --base-url ${service.baseUrl}/v1/ --with-token`;
    const { exitCode, stdout, stderr } = await execa('sh', ['-c', login, process.execPath, program], {
      env: environment(home),
      extendEnv: false,
      cwd: home,
      input: '  token-of-mine\r\n',
      reject: false,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('ada');
    expect(stdout).not.toContain('token-of-mine');
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(configFile(home))).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(configFile(home)))).toEqual(['config.json']);
    expect(await run(['me'], { home })).toMatchObject({ exit: 0, stderr: '' });
    expect(bearer(service.requests)).toEqual(['Bearer token-of-mine', 'Bearer token-of-mine']);
  });

  it('explains the token, asks for it without showing it, and tells what to do next', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted]);
    const { exit, screen } = await runAtTerminal(['login', '--base-url', service.baseUrl], {
      home,
      answers: [
        { after: 'Token for', keys: 'token-of-mistake' },
        { after: ': ', keys: `${'\u007f'.repeat(4)}ne\r` },
      ],
    });
    expect(exit).toBe(0);
    expect(screen).not.toMatch(/token-of|mis|ake/);
    const explained = ['Signing in to', service.baseUrl, 'ask the person', 'config.json'];
    expect(screen).toMatch(new RegExp([...explained, 'Token for', 'push <paths'].join('.*'), 's'));
    expect(bearer(service.requests)).toEqual(['Bearer token-of-misne']);
    expect(storedText(home)).toContain('token-of-misne');
  });

  it('adds the scheme: http for loopback, https for others', async () => {
    const { exit } = await runOnScreen(['login'], {
      home: temporaryFolder(),
      answers: [
        { after: 'such as https://api.example.com: ', keys: 'localhost:8443\r' },
        { after: 'Token for http://localhost:8443', keys: '\u0003' },
      ],
    });
    expect(exit).toBe(130);
    const answers = [{ after: 'Token for https://vals.example.com', keys: '\u0003' }];
    const typed = await runOnScreen(['login', 'vals.example.com/@acme'], {
      home: temporaryFolder(),
      answers,
    });
    expect(typed.exit).toBe(130);
  });

  it.each([
    { keys: 'token-of-mi\u0003', what: 'Ctrl-C half-way', exit: 130 },
    { keys: '\r', what: 'an empty line', exit: 4 },
  ])('stores nothing after $what', async ({ keys, exit }) => {
    const home = temporaryFolder();
    const service = await scriptedService([]);
    const args = ['login', '--base-url', service.baseUrl];
    const result = await runOnScreen(args, { home, answers: [{ after: 'Token for', keys }] });
    expect(result.exit).toBe(exit);
    expect(result.screen).not.toMatch(/token-of|two words/);
    expect(existsSync(configFile(home))).toBe(false);
  });

  it.each<[what: string, reply: Reply, exit: number]>([
    ['a 401', { status: 401, body: { message: 'no token-of-mine' } }, 4],
    ['an error with status 200', { body: { error: 'token-of-mine is invalid', url: 'x' } }, 11],
  ])('that the service answers with %s stores no token, and keeps the old one', async (_, reply, exit) => {
    const home = temporaryFolder();
    const { baseUrl } = await scriptedService([accepted], forAll(reply));
    const login = ['login', '--base-url', baseUrl, '--with-token'];
    await signIn({ home, token: 'stored-token' }, baseUrl);
    const before = storedText(home);
    const result = await run(login, { home, input: 'token-of-mine', clock: quickRetries });
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).not.toContain('token-of-mine');
    expect(storedText(home)).toBe(before);
  });

  it.each([
    [['login', '--base-url', 'http://127.0.0.1:1'], '`vals login http://127.0.0.1:1 --with-token`'],
    [['login', '--local'], 'omit --local.'],
  ])('%j does not wait for input without a terminal', async (args, hint) => {
    const home = temporaryFolder();
    const result = await inProcess(args, { env: environment(home), cwd: home, input: new PassThrough() });
    expect(result).toMatchObject({ exit: 2, stderr: expect.stringContaining(hint) });
    expect(existsSync(configFile(home))).toBe(false);
  });

  it.each([
    ['win32', ['login'], 'run `Remove-Item Env:VALS_LOCAL` first.'],
    ['darwin', ['login'], 'run `unset VALS_LOCAL` first.'],
    ['win32', ['val', 'edit', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11'], 'for example to notepad or'],
  ] as const)('on %s, the hint of %j is for that system', async (platform, args, hint) => {
    const { baseUrl } = await scriptedService([], () => ({ body: { name: 'a', code: 'a' } }));
    const isLogin = args[0] === 'login';
    const env = environment(
      temporaryFolder(),
      isLogin ? { VALS_LOCAL: '1' } : { VALS_BASE_URL: baseUrl, VALS_TOKEN: 't' },
    );
    const { exit, stderr } = await inProcess(args, { env, platform });
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(hint) });
  });

  it('--with-token that gets several lines sends, stores and repeats nothing', async () => {
    const home = temporaryFolder();
    const { baseUrl } = await scriptedService([]);
    const input = 'token-of-mine\nsecond-line';
    const result = await run(['login', '--base-url', baseUrl, '--with-token'], { home, input });
    expect(result).toMatchObject({ exit: 2, stdout: '' });
    expect(result.stderr).not.toMatch(/token-of-mine|second/);
    expect(existsSync(configFile(home))).toBe(false);
  });
});

describe('vals logout', () => {
  it('forgets one token and keeps the others', async () => {
    const home = temporaryFolder();
    const first = await scriptedService([accepted, accepted]);
    const second = await scriptedService([accepted]);
    await signIn({ home, token: 'token-of-first' }, first.baseUrl);
    const { stderr } = await signIn({ home, token: 'token-of-second' }, second.baseUrl);
    expect(stderr).toContain(
      `${second.baseUrl} is now the default service. To go back, run \`vals use ${first.baseUrl}\`.`,
    );
    expect(await run(['logout'], { home })).toMatchObject({
      exit: 0,
      stderr: 'There is no default service now.\n',
    });
    expect(storedText(home)).not.toContain('token-of-second');
    expect(await run(['me', '--base-url', first.baseUrl], { home })).toMatchObject({ exit: 0 });
    expect(await run(['me', '--base-url', second.baseUrl], { home })).toMatchObject({ exit: 4 });
    expect(bearer(first.requests)).toEqual(['Bearer token-of-first', 'Bearer token-of-first']);
    expect(await run(['logout', '--base-url', first.baseUrl], { home })).toMatchObject({ exit: 0 });
    expect(storedText(home)).not.toContain('token-of-');
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
  });

  const [one, two, three] = ['https://one.example', 'https://two.example', 'https://three.example'];
  it.each([
    [[], 'There is no default service now.'],
    [[two, three], 'To choose another service, run `vals use https://two.example`.'],
  ])('of the default service, beside %j, leaves no default', async (others, says) => {
    const home = temporaryFolder();
    const tokens = (origins: string[]) => Object.fromEntries(origins.map((origin) => [origin, 'a-token']));
    writeConfig(home, JSON.stringify({ baseUrl: `${one}/base`, tokens: tokens([one, ...others]) }));
    const { exit, screen } = await runOnScreen(['logout'], { home, columns: 160 });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining(says) });
    expect(JSON.parse(storedText(home))).toEqual({ tokens: tokens(others) });
  });
});
