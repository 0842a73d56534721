import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { quickRetries } from '../support/clocks.ts';
import { inProcess } from '../support/in-process.ts';
import {
  environment,
  program,
  run,
  runAtTerminal,
  runOnScreen,
  temporaryFolder,
} from '../support/program.ts';
import { type Reply, scriptedService, testToken } from '../support/scripted-service.ts';
import { accepted, ada, bearer, configFile, forAll, signIn, writeConfig } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

describe('vals login', () => {
  it('--with-token stores a token that the service accepts, and only its owner can read the file', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, accepted]);
    // With `umask 000` the system removes no permission, so the program itself has to protect the file.
    const { exitCode, stdout, stderr } = await execa(
      'sh',
      [
        '-c',
        `umask 000; ${process.execPath} ${program} login --base-url ${service.baseUrl}/v1/ --with-token`,
      ],
      { env: environment(home), extendEnv: false, cwd: home, input: '  token-of-mine\r\n', reject: false },
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('ada');
    expect(stdout).not.toContain('token-of-mine');
    expect(bearer(service.requests)).toEqual(['Bearer token-of-mine']);
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(configFile(home))).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(configFile(home)))).toEqual(['config.json']);
    expect(await run(['me'], { home })).toMatchObject({ exit: 0, stderr: '' });
    expect(bearer(service.requests)[1]).toBe('Bearer token-of-mine');
  });

  it('explains the token, asks for it without showing it, and tells what to do next', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, accepted]);
    const { exit, screen } = await runAtTerminal(['login', '--base-url', service.baseUrl], {
      home,
      answers: [
        { after: 'Token for', keys: 'token-of-mistake' },
        { after: ': ', keys: `${'\u007f'.repeat(4)}ne\r` },
      ],
    });
    expect(exit).toBe(0);
    expect(screen).not.toMatch(/token-of|mis|ake/);
    const parts = [
      'Signing in to',
      service.baseUrl,
      "service's settings",
      'config.json',
      'Token for',
      'vals push',
    ];
    expect(screen).toMatch(new RegExp(parts.join('.*'), 's'));
    expect(bearer(service.requests)).toEqual(['Bearer token-of-misne']);
    await run(['me'], { home });
    expect(bearer(service.requests)[1]).toBe('Bearer token-of-misne');
  });

  it('asks again for a base URL without https://, and proposes one', async () => {
    const { screen, exit } = await runOnScreen(['login'], {
      home: temporaryFolder(),
      answers: [
        { after: 'such as https://api.example.com: ', keys: 'localhost:8443\r' },
        { after: 'Base URL [https://localhost:8443]: ', keys: '\r' },
        { after: 'Token for https://localhost:8443', keys: '\u0003' },
      ],
    });
    expect(screen).toContain('The base URL begins with https://.');
    expect(exit).toBe(130);
  });

  it.each([
    { keys: '\u0003', what: 'Ctrl-C', exit: 130 },
    { keys: 'token-of-mi\u0003', what: 'Ctrl-C half-way', exit: 130 },
    { keys: '\r', what: 'an empty line', exit: 4 },
    { keys: 'two words\r', what: 'what is no token', exit: 2 },
  ])('stores nothing after $what', async ({ keys, exit }) => {
    const home = temporaryFolder();
    const service = await scriptedService([]);
    const args = ['login', '--base-url', service.baseUrl];
    const result = await runOnScreen(args, { home, answers: [{ after: 'Token for', keys }] });
    expect(result.exit).toBe(exit);
    expect(result.screen).not.toMatch(/token-of|two words/);
    expect(existsSync(configFile(home))).toBe(false);
  });

  const refusals: { what: string; reply: Reply; exit: number }[] = [
    { what: 'a 401', reply: { status: 401, body: { message: 'no token-of-mine' } }, exit: 4 },
    { what: 'a 403', reply: { status: 403 }, exit: 4 },
    { what: 'a 404', reply: { status: 404 }, exit: 3 },
    { what: 'a 500', reply: { status: 500 }, exit: 7 },
    { what: 'a 501', reply: { status: 501 }, exit: 7 },
    { what: 'a web page', reply: { body: '<html>sign in</html>' }, exit: 11 },
    { what: 'nothing', reply: {}, exit: 11 },
    { what: 'an empty object', reply: { body: {} }, exit: 11 },
    {
      what: 'an error, an address and status 200',
      reply: { body: { error: 'token-of-mine is invalid', url: 'https://api.example.com/errors/1' } },
      exit: 11,
    },
    { what: 'a list', reply: { body: [ada] }, exit: 11 },
    { what: 'a redirect', reply: { status: 302, headers: { location: '/login' } }, exit: 11 },
    { what: 'a broken connection', reply: (response) => response.destroy(), exit: 7 },
  ];
  it.each(refusals)('stores no token that the service answers with $what', async ({ reply, exit }) => {
    const home = temporaryFolder();
    const { baseUrl } = await scriptedService([], forAll(reply));
    const args = ['login', '--base-url', baseUrl, '--with-token'];
    const result = await run(args, { home, input: 'token-of-mine', clock: quickRetries });
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).not.toContain('token-of-mine');
    expect(existsSync(configFile(home))).toBe(false);
  });

  it('stores a token if the user has neither id nor names', async () => {
    const user = { username: null, email: null, url: null, tier: 'free', links: {} };
    const { baseUrl } = await scriptedService([{ body: user }]);
    const args = ['login', '--base-url', baseUrl, '--with-token'];
    expect(await run(args, { home: temporaryFolder(), input: 'token-of-mine' })).toMatchObject({ exit: 0 });
  });

  it('with a wrong token keeps the stored token', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, { status: 401 }]);
    await signIn(home, service.baseUrl, 'stored-token');
    const before = readFileSync(configFile(home), 'utf8');
    const args = ['login', '--base-url', service.baseUrl, '--with-token'];
    expect(await run(args, { home, input: 'wrong-token' })).toMatchObject({ exit: 4 });
    expect(readFileSync(configFile(home), 'utf8')).toBe(before);
  });

  it.each([
    {
      args: ['login', '--base-url', 'http://127.0.0.1:1'],
      hint: '`vals login --base-url http://127.0.0.1:1 --with-token`',
    },
    { args: ['login'], hint: '`vals login --base-url <url>`' },
    { args: ['login', '--local'], hint: 'unset VALS_LOCAL' },
    { args: ['val', 'rm', id, '--base-url', 'http://127.0.0.1:1'], hint: '--yes' },
  ])('$args does not wait for input without a terminal', async ({ args, hint }) => {
    const home = temporaryFolder();
    const result = await inProcess(args, { env: environment(home), cwd: home, input: new PassThrough() });
    expect(result.exit).toBe(2);
    expect(result.stderr).toContain(hint);
    expect(existsSync(configFile(home))).toBe(false);
  });

  it.each([
    ['nothing', '', 4],
    ['a newline', '\n', 4],
    ['spaces', ' \t\r\n ', 4],
    ['several lines', 'token-of-mine\nsecond-line', 2],
    ['two words', 'token-of-mine second', 2],
    ['bytes', new Uint8Array([0xff, 0xfe, 0x41]), 10],
  ])('--with-token that gets %s sends, stores and repeats nothing', async (_what, input, exit) => {
    const home = temporaryFolder();
    const service = await scriptedService([]);
    const args = ['login', '--base-url', service.baseUrl, '--with-token'];
    const result = await run(args, { home, input });
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).not.toMatch(/token-of-mine|second|paste/);
    expect(existsSync(configFile(home))).toBe(false);
  });

  it('again for the same service replaces the token', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, accepted]);
    await signIn(home, service.baseUrl, 'token-number-one');
    await signIn(home, service.baseUrl, 'token-number-two');
    const text = readFileSync(configFile(home), 'utf8');
    expect(text).toContain('token-number-two');
    expect(text).not.toContain('token-number-one');
  });

  it('makes a config file private that others could read, and says so', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, accepted, accepted]);
    await signIn(home, service.baseUrl, 'stored-token');
    chmodSync(configFile(home), 0o644);
    const first = await run(['me'], { home });
    expect(first).toMatchObject({ exit: 0, stdout: expect.stringContaining('ada') });
    expect(first.stderr).toContain(configFile(home));
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
    expect(await run(['me'], { home })).toMatchObject({ exit: 0, stderr: '' });
  });

  it('says that VALS_TOKEN overrides the stored token', async () => {
    const service = await scriptedService([accepted]);
    const args = ['login', '--base-url', service.baseUrl, '--with-token'];
    const result = await run(args, { env: { VALS_TOKEN: testToken }, input: 'token-of-mine' });
    expect(result.exit).toBe(0);
    expect(bearer(service.requests)).toEqual(['Bearer token-of-mine']);
    expect(result.stderr).toContain('VALS_TOKEN');
    expect(result.stderr).not.toContain(testToken);
  });
});

describe('vals logout', () => {
  it('forgets one token and keeps the others', async () => {
    const home = temporaryFolder();
    const first = await scriptedService([accepted, accepted]);
    const second = await scriptedService([accepted]);
    await signIn(home, first.baseUrl, 'token-of-first');
    await signIn(home, second.baseUrl, 'token-of-second');
    expect(await run(['logout'], { home })).toMatchObject({ exit: 0, stderr: '' });
    expect(readFileSync(configFile(home), 'utf8')).not.toContain('token-of-second');
    expect(await run(['me'], { home })).toMatchObject({ exit: 0 });
    expect(await run(['me', '--base-url', second.baseUrl], { home })).toMatchObject({ exit: 4 });
    expect(bearer(first.requests)).toEqual(['Bearer token-of-first', 'Bearer token-of-first']);
    expect(await run(['logout', '--base-url', first.baseUrl], { home })).toMatchObject({ exit: 0 });
    expect(readFileSync(configFile(home), 'utf8')).not.toContain('token-of-');
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
  });

  const [one, two, three] = ['https://one.example', 'https://two.example', 'https://three.example'];
  it.each([
    { others: [], now: undefined, says: 'There is no default service now.' },
    { others: [two], now: two, says: 'The default service is now https://two.example.' },
    {
      others: [two, three],
      now: undefined,
      says: 'To choose one of the 2 other services, run `vals use <base-url>`.',
    },
  ])('of the default service, beside $others, names the new default', async ({ others, now, says }) => {
    const home = temporaryFolder();
    const tokens = (origins: (string | undefined)[]) =>
      Object.fromEntries(origins.map((origin) => [origin, 'token-of-mine']));
    writeConfig(home, JSON.stringify({ baseUrl: `${one}/base`, tokens: tokens([one, ...others]) }));
    const { exit, screen } = await runOnScreen(['logout'], { home, columns: 160 });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining(says) });
    const stored: unknown = JSON.parse(readFileSync(configFile(home), 'utf8'));
    expect(stored).toEqual({ ...(now && { baseUrl: now }), tokens: tokens(others) });
  });

  it('without a sign-in is no failure', async () => {
    const { exit, stdout } = await run(['logout', '--base-url', 'https://api.example']);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'not signed in\thttps://api.example\n' });
  });

  it('without a service is refused', async () => {
    expect(await run(['logout'])).toMatchObject({ exit: 2, stdout: '' });
  });
});
