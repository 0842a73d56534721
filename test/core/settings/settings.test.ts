import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quickRetries } from '../../support/clocks.ts';
import { has } from '../../support/features.ts';
import { run, temporaryFolder, writeFiles } from '../../support/program.ts';
import { scriptedService, testToken } from '../../support/scripted-service.ts';
import { signIn } from '../../support/sign-in.ts';
import { accepted, ada, bearer, configFile, forAll, writeConfig } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

type SettingRow = { setting: string; value: unknown; source: string };

async function settingsOf(
  args: string[],
  options: { env?: Record<string, string>; home?: string; cwd?: string },
): Promise<Record<string, { value: unknown; source: string }>> {
  const { exit, stdout, stderr } = await run(['config', '--json', ...args], options);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const rows = JSON.parse(stdout) as SettingRow[];
  return Object.fromEntries(rows.map(({ setting, value, source }) => [setting, { value, source }]));
}

describe('settings come from the flag, then the environment, then the config file:', () => {
  it('the base URL, while the token of the environment is used for each base URL', async () => {
    const home = temporaryFolder();
    const stored = await scriptedService([accepted, accepted, accepted]);
    const inEnvironment = await scriptedService([accepted]);
    const asFlag = await scriptedService([accepted]);
    await signIn({ home, token: 'stored-token' }, stored.baseUrl);

    const env = { VALS_BASE_URL: inEnvironment.baseUrl, VALS_TOKEN: testToken };
    expect(await run(['me', '--base-url', asFlag.baseUrl], { home, env })).toMatchObject({ exit: 0 });
    expect(bearer(asFlag.requests)).toEqual([`Bearer ${testToken}`]);
    expect(await run(['me'], { home, env })).toMatchObject({ exit: 0 });
    expect(bearer(inEnvironment.requests)).toEqual([`Bearer ${testToken}`]);
    expect(await run(['me'], { home })).toMatchObject({ exit: 0 });
    expect(await run(['me'], { home, env: { VALS_TOKEN: testToken } })).toMatchObject({ exit: 0 });
    const tokens = ['stored-token', 'stored-token', testToken];
    expect(bearer(stored.requests)).toEqual(tokens.map((token) => `Bearer ${token}`));
  });

  it.each<[setting: string, env: string, flags: string, value: unknown, source: string]>([
    ['timeout', 'VALS_TIMEOUT=x', '--timeout 7', 7, '--timeout'],
    ['debug', 'VALS_DEBUG=1', '', true, 'VALS_DEBUG'],
    ['local', 'VALS_LOCAL=0', '--local', true, '--local'],
    ['local', 'VALS_LOCAL=1', '--base-url https://a.example', false, '--base-url'],
    ['base-url', 'VALS_BASE_URL=', '', null, 'VALS_BASE_URL is set, but empty'],
    ['base-url', 'VALS_BASE_URL=https://e.example', '', 'https://e.example', 'VALS_BASE_URL'],
    ['base-url', '', '--allow-http --base-url http://a.example', 'http://a.example', '--base-url'],
    ['config-file', 'VALS_CONFIG_DIR=/elsewhere', '', '/elsewhere/config.json', 'VALS_CONFIG_DIR'],
  ])('%s with %j and %j is %j, from %s', async (setting, variable, flags, value, source) => {
    const [name = '', set = ''] = variable.split('=');
    const rows = await settingsOf(flags.split(' ').filter(Boolean), { env: name ? { [name]: set } : {} });
    expect(rows[setting]).toEqual({ value, source });
  });

  it.runIf(has('service'))('--local comes before VALS_BASE_URL', async () => {
    const { env, requests } = await scriptedService([]);
    expect(await run(['likes', '--json', '--local'], { env })).toMatchObject({ exit: 0, stdout: '[]\n' });
    expect(requests).toEqual([]);
  });
});

describe('the base URL', () => {
  it.each([
    ['HTTPS://API.Example.com:443/v1', 'https://api.example.com'],
    ['https://api.example.com:8443/x/', 'https://api.example.com:8443/x'],
    ['localhost:8787', 'http://localhost:8787'],
    ['[::1]:1/base', 'http://[::1]:1/base'],
    ['vals.example/@acme', 'https://vals.example/@acme'],
  ])('%s is taken as %s', async (text, value) => {
    expect((await settingsOf(['--base-url', text], {}))['base-url']).toEqual({ value, source: '--base-url' });
  });

  it.each([
    'https://ada:hunter2@api.example.com',
    'https://api.example.com?token=hunter2',
    'ftp://ada:hunter2@api.example.com',
    'http://api.example.com',
    'http://localhost.example.com',
  ])('%s is refused, and not repeated', async (text) => {
    const { exit, stdout, stderr } = await run(['me', '--debug', '--base-url', text]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('--base-url');
    expect(stderr).not.toContain('hunter2');
  });

  it('that is missing is an error with both ways to go on, in CI too', async () => {
    const env = { VALS_TOKEN: testToken, CI: 'true', GITHUB_ACTIONS: 'true' };
    const { exit, stdout, stderr } = await run(['me'], { env });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('--base-url');
    expect(stderr).toContain('--local');
  });
});

describe('the token', () => {
  it('that is missing: nothing is sent', async () => {
    const { baseUrl, requests } = await scriptedService([]);
    const args = ['push', '-', '--name', 'x', '--json'];
    const { exit, error } = await run(args, { env: { VALS_BASE_URL: baseUrl }, input: 'code' });
    const hint = expect.stringContaining('VALS_TOKEN');
    expect({ exit, error }).toMatchObject({ exit: 4, error: { kind: 'auth', exit: 4, hint } });
    expect(requests).toEqual([]);
  });

  it('that was stored is sent only to its exact origin', async () => {
    const home = temporaryFolder();
    const first = await scriptedService([accepted, accepted]);
    const other = await scriptedService([{ body: { name: 'x' } }]);
    await signIn({ home, token: 'stored-token' }, first.baseUrl);

    const elsewhere = [
      other.baseUrl,
      first.baseUrl.replace('127.0.0.1', 'localhost'),
      first.baseUrl.replace('127.0.0.1', '127.0.0.2'),
      first.baseUrl.replace('http:', 'https:'),
    ];
    for (const baseUrl of elsewhere) {
      const result = await run(['me', '--base-url', baseUrl], { home });
      expect(result).toMatchObject({ exit: 4, stdout: '' });
    }
    expect(first.requests).toHaveLength(1);
    expect(other.requests).toEqual([]);
    expect(await run(['val', 'get', id, '--base-url', other.baseUrl], { home })).toMatchObject({ exit: 0 });
    expect(bearer(other.requests)).toEqual([undefined]);
    expect(await run(['me', '--base-url', `${first.baseUrl}/below`], { home })).toMatchObject({ exit: 0 });
    expect(bearer(first.requests)).toEqual(['Bearer stored-token', 'Bearer stored-token']);
  });

  it.each(['tok4', 'seven77', 'ends.+$'])('%s is hidden in an error that repeats it', async (token) => {
    const home = temporaryFolder();
    const refusal = { status: 400, body: { message: `no ${token}, not "${token}"` } };
    const service = await scriptedService([accepted, refusal]);
    await signIn({ home, token }, service.baseUrl);
    const { stderr } = await run(['me', '--debug', '--json'], { home });
    expect(stderr).toContain('no ***');
    expect(stderr).not.toContain(token);
  });
});

it('the folder of a project changes no setting', async () => {
  const service = await scriptedService([]);
  const cwd = temporaryFolder();
  const { baseUrl } = service;
  const pairs = `VALS_BASE_URL=${baseUrl}\nVALS_TOKEN=${testToken}\nVALS_LOCAL=1\n`;
  const tokens = { token: testToken, tokens: { [baseUrl]: testToken } };
  const json = JSON.stringify({ baseUrl, 'base-url': baseUrl, local: true, ...tokens, vals: { baseUrl } });
  const configs = ['vals.json', 'config.json', '.vals/config.json', '.config/vals/config.json'];
  writeFiles(cwd, Object.fromEntries(['.env', '.valsrc', '.npmrc'].map((name) => [name, pairs])));
  writeFiles(cwd, Object.fromEntries(configs.map((name) => [name, json])));
  const home = temporaryFolder();
  expect(await settingsOf([], { cwd, home })).toMatchObject({
    'base-url': { value: null, source: 'not set' },
    token: { value: null, source: 'not set' },
    local: { value: false, source: 'default' },
  });
  expect(await run(['me'], { cwd, home })).toMatchObject({ exit: 2, stdout: '' });
  const env = { VALS_BASE_URL: service.baseUrl };
  expect(await run(['me'], { cwd, home, env })).toMatchObject({ exit: 4, stdout: '' });
  expect(service.requests).toEqual([]);
});

describe('a config file that cannot be used', () => {
  it.each<[string, string | Uint8Array]>([
    ['half a file', '{"baseUrl":"https://a.example","tokens":{"https://a.exa'],
    ['a token that is no text', '{"tokens":{"https://a.example":5}}'],
  ])('with %s stays unchanged', async (_what, content) => {
    const { baseUrl } = await scriptedService([], forAll(accepted));
    const home = temporaryFolder();
    const file = writeConfig(home, content);
    for (const args of [['me'], ['login', '--with-token'], ['logout'], ['config']]) {
      const { exit, stdout, stderr } = await run(args, {
        home,
        env: { VALS_BASE_URL: baseUrl },
        input: 'new-token',
      });
      expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
      expect(stderr).toContain(`The config file ${file} is damaged.`);
      expect(readFileSync(file), args[0]).toEqual(Buffer.from(content));
    }
  });

  it('does no harm if the environment has all settings', async () => {
    const home = temporaryFolder();
    writeConfig(home, 'not JSON');
    const service = await scriptedService([accepted]);
    expect(await run(['me'], { home, env: service.env })).toMatchObject({ exit: 0, stderr: '' });
  });
});

describe('vals config', () => {
  it('shows each setting, its source and the files', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted]);
    await signIn({ home, token: 'stored-token' }, service.baseUrl);
    const rows = await settingsOf([], { home, env: { VALS_DATA_DIR: join(home, 'data') } });
    expect(rows).toMatchObject({
      'base-url': { value: service.baseUrl, source: 'config file' },
      token: { value: expect.stringMatching(/^\*+$/), source: 'config file' },
      timeout: { value: 60, source: 'default' },
      'config-file': { value: configFile(home), source: 'default' },
      'data-file': { value: expect.stringContaining(join(home, 'data')), source: 'VALS_DATA_DIR' },
    });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['HTTPS_PROXY', 'http://ada:hunter2@proxy.example:3128'],
    ['http_proxy', 'http://hunter2@proxy.example'],
  ])('never shows a token, nor the password of a proxy: %s=%s', async (name, address) => {
    const env = { [name]: address, VALS_TOKEN: testToken, VALS_BASE_URL: 'https://api.example' };
    const { stdout, stderr } = await run(['config'], { env });
    expect(stdout + stderr).not.toMatch(/hunter2|test-token/);
    expect(stdout).toContain('proxy.example');
  });

  it.each<[env: Record<string, string>, problem: string]>([
    [{ VALS_BASE_URL: 'nowhere' }, 'The base URL from VALS_BASE_URL is not a URL.'],
    ...['a b', 'line\nbreak', 'tëken'].map((VALS_TOKEN): [Record<string, string>, string] => [
      { VALS_TOKEN },
      'The token from VALS_TOKEN contains invalid characters.',
    ]),
    [{ VALS_TIMEOUT: ' ' }, expect.stringContaining('VALS_TIMEOUT must be a number of seconds')],
  ])('says where a setting that is wrong comes from: %j', async (env, message) => {
    expect(await run(['config', '--json'], { env })).toMatchObject({
      exit: 2,
      stdout: '',
      error: { message },
    });
  });

  it.each(['VALS_BASE_URL', 'VALS_TOKEN'])('says that %s is set, but empty', async (name) => {
    const env = { VALS_BASE_URL: 'https://api.example', [name]: ' ' };
    expect((await run(['config'], { env })).stdout).toContain(`${name} is set, but empty`);
    const { error } = await run(['me', '--json'], { env });
    expect(`${error?.message} ${error?.hint}`).toContain(`${name} is set, but empty`);
  });
});

it('the trace goes to stderr, without the token, before the error object', async () => {
  const refusal = { status: 404, body: `${testToken}${'x'.repeat(9_999)}` };
  const service = await scriptedService([{ status: 503 }, accepted, refusal]);
  const me = () => run(['me', '--json', '--debug'], { env: service.env, clock: quickRetries });
  const { exit, stdout, stderr } = await me();
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${JSON.stringify(ada)}\n` });
  expect(stderr).toContain(`GET ${service.baseUrl}/v1/me`);
  expect(stderr).toMatch(/503.*200/s);
  expect(stderr).not.toMatch(new RegExp(`bearer|${testToken}`, 'i'));
  const failed = await me();
  expect(failed.error).toMatchObject({ kind: 'not_found' });
  expect(failed.stderr, 'the first characters of the body').toMatch(/^\*{3}x{1997}$/m);
});
