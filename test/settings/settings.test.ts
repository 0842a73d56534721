import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quickRetries } from '../support/clocks.ts';
import { folderOf, run, runOnScreen, temporaryFolder } from '../support/program.ts';
import { rawService } from '../support/raw-service.ts';
import { scriptedService, testToken } from '../support/scripted-service.ts';
import { accepted, ada, bearer, configFile, forAll, signIn, writeConfig } from './support.ts';

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
    await signIn(home, stored.baseUrl, 'stored-token');

    const env = { VALS_BASE_URL: inEnvironment.baseUrl, VALS_TOKEN: testToken };
    expect(await run(['me', '--base-url', asFlag.baseUrl], { home, env })).toMatchObject({ exit: 0 });
    expect(bearer(asFlag.requests)).toEqual([`Bearer ${testToken}`]);
    expect(await run(['me'], { home, env })).toMatchObject({ exit: 0 });
    expect(bearer(inEnvironment.requests)).toEqual([`Bearer ${testToken}`]);
    expect(await run(['me'], { home })).toMatchObject({ exit: 0 });
    expect(await run(['me'], { home, env: { VALS_TOKEN: testToken } })).toMatchObject({ exit: 0 });
    expect(bearer(stored.requests)).toEqual([
      'Bearer stored-token',
      'Bearer stored-token',
      `Bearer ${testToken}`,
    ]);
  });

  it.each<[setting: string, env: string, flags: string, value: unknown, source: string]>([
    ['timeout', '', '', 60, 'default'],
    ['timeout', 'VALS_TIMEOUT=9', '', 9, 'VALS_TIMEOUT'],
    ['timeout', 'VALS_TIMEOUT=', '', 60, 'default'],
    ['timeout', 'VALS_TIMEOUT=9', '--timeout 0.5', 0.5, '--timeout'],
    ['timeout', 'VALS_TIMEOUT=x', '--timeout 7', 7, '--timeout'],
    ['debug', '', '', false, 'default'],
    ['debug', 'VALS_DEBUG=1', '', true, 'VALS_DEBUG'],
    ['debug', 'VALS_DEBUG=0', '', false, 'VALS_DEBUG'],
    ['debug', 'VALS_DEBUG=0', '--debug', true, '--debug'],
    ['local', '', '', false, 'default'],
    ['local', 'VALS_LOCAL=1', '', true, 'VALS_LOCAL'],
    ['local', 'VALS_LOCAL=0', '--local', true, '--local'],
    ['local', 'VALS_LOCAL=1', '--base-url https://a.example', false, '--base-url'],
    ['base-url', '', '', null, 'not set'],
    ['base-url', 'VALS_BASE_URL=', '', null, 'not set'],
    ['base-url', 'VALS_BASE_URL=https://e.example', '', 'https://e.example', 'VALS_BASE_URL'],
    ['base-url', 'VALS_BASE_URL=nonsense', '--base-url https://f.example', 'https://f.example', '--base-url'],
    ['allow-http', 'VALS_ALLOW_HTTP=1', '', true, 'VALS_ALLOW_HTTP'],
    ['token', '', '', null, 'not set'],
  ])('%s with %j and %j is %j, from %s', async (setting, variable, flags, value, source) => {
    const [name = '', set = ''] = variable.split('=');
    const rows = await settingsOf(flags.split(' ').filter(Boolean), { env: name ? { [name]: set } : {} });
    expect(rows[setting]).toEqual({ value, source });
  });

  it.each([
    { args: ['--timeout', '1'], env: { VALS_TIMEOUT: '86400' } },
    { args: [], env: { VALS_TIMEOUT: '1' } },
    { args: ['--timeout', '1.5'], env: {} },
  ])('the deadline of $args $env', async ({ args, env }) => {
    const service = await scriptedService([() => {}]);
    const result = await run(['me', '--json', ...args], { env: { ...service.env, ...env } });
    expect(result).toMatchObject({ exit: 7, stdout: '', error: { kind: 'unavailable' } });
  });

  it('--local comes before VALS_BASE_URL, and the service at VALS_BASE_URL gets no request', async () => {
    const service = await scriptedService([]);
    expect(await run(['likes', '--json', '--local'], { env: service.env })).toMatchObject({
      exit: 0,
      stdout: '[]\n',
    });
    expect(service.requests).toEqual([]);
  });

  it('--local and --base-url together are refused', async () => {
    const service = await scriptedService([]);
    const args = ['me', '--local', '--base-url', service.baseUrl];
    expect(await run(args, { env: service.env })).toMatchObject({ exit: 2, stdout: '' });
  });

  it('flags count before and after the command', async () => {
    const service = await scriptedService([{ body: ada }, { body: ada }]);
    const env = { VALS_TOKEN: testToken };
    const before = await run(['--base-url', service.baseUrl, '--json', '--fields', 'id', 'me'], { env });
    expect(before).toMatchObject({ exit: 0, stdout: '{"id":"u1"}\n' });
    const inTopic = await run(['val', '--json', '--base-url', service.baseUrl, 'get', id, '--fields', 'id'], {
      env,
    });
    expect(inTopic).toMatchObject({ exit: 0, stdout: '{"id":"u1"}\n' });
  });
});

describe('the base URL', () => {
  it.each([
    { path: '', asked: '/v1/me' },
    { path: '/', asked: '/v1/me' },
    { path: '/v1', asked: '/v1/me' },
    { path: '/v1/', asked: '/v1/me' },
    { path: '/api', asked: '/api/v1/me' },
    { path: '/api/', asked: '/api/v1/me' },
    { path: '/api/v1/', asked: '/api/v1/me' },
    { path: '/a/b//', asked: '/a/b/v1/me' },
    { path: '/apiv1', asked: '/apiv1/v1/me' },
    { path: '/v1/api', asked: '/v1/api/v1/me' },
  ])('with the path "$path" requests $asked', async ({ path, asked }) => {
    const service = await scriptedService([accepted]);
    const env = { VALS_TOKEN: testToken, VALS_BASE_URL: service.baseUrl + path };
    expect(await run(['me'], { env })).toMatchObject({ exit: 0 });
    expect(service.requests.map((seen) => seen.path)).toEqual([asked]);
  });

  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['HTTPS://API.Example.com:443/v1', 'https://api.example.com'],
    ['https://api.example.com:8443/x/', 'https://api.example.com:8443/x'],
    ['http://localhost:1', 'http://localhost:1'],
    ['http://127.0.0.1:1/v1', 'http://127.0.0.1:1'],
    ['http://127.8.9.10', 'http://127.8.9.10'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://[::1]:80/', 'http://[::1]'],
    ['https://[2001:db8::1]', 'https://[2001:db8::1]'],
  ])('%s is taken as %s', async (text, value) => {
    expect((await settingsOf(['--base-url', text], {}))['base-url']).toEqual({ value, source: '--base-url' });
  });

  const refused = [
    'https://ada:hunter2@api.example.com',
    'https://hunter2@api.example.com',
    'https://:hunter2@api.example.com',
    'https://ada:hunt%65r2@api.example.com',
    'http://localhost@api.example.com',
    'https://api.example.com?token=hunter2',
    'https://api.example.com/v1#hunter2',
    'ftp://ada:hunter2@api.example.com',
    'file:///etc/passwd',
    'javascript:hunter2',
    'api.example.com',
    'localhost:8787',
    '//api.example.com',
    'https://',
    'https://ada:hunter2@',
    'http://api.example.com',
    'http://192.168.0.1',
    'http://0.0.0.0',
    'http://[::2]',
    'http://[::ffff:8.8.8.8]',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://128.0.0.1',
  ];
  it.each(refused)('%s is refused, and not repeated', async (text) => {
    const home = temporaryFolder();
    writeConfig(home, JSON.stringify({ baseUrl: text, tokens: {} }));
    const env = { VALS_TOKEN: testToken };
    const sources = {
      '--base-url': () => run(['me', '--debug', '--base-url', text], { env }),
      VALS_BASE_URL: () => run(['me', '--json'], { env: { ...env, VALS_BASE_URL: text } }),
      'config file': () => run(['me'], { env, home }),
    };
    for (const [source, ask] of Object.entries(sources).slice(text.includes('hunt') ? 0 : -1)) {
      const { exit, stdout, stderr } = await ask();
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toContain(source);
      expect(stderr).not.toMatch(/hunter2|hunt%65r2/);
    }
  });

  it('on the command line is refused when it is empty, whatever else is set', async () => {
    const service = await scriptedService([]);
    expect(await run(['me', '--base-url', ''], { env: service.env })).toMatchObject({ exit: 2, stdout: '' });
    expect(service.requests).toEqual([]);
  });

  it.each<{ args: string[]; env: Record<string, string> }>([
    { args: ['--allow-http'], env: {} },
    { args: [], env: { VALS_ALLOW_HTTP: '1' } },
  ])('may be http:// to another machine with $args $env', async ({ args, env }) => {
    const rows = await settingsOf(['--base-url', 'http://api.example.com/v1', ...args], { env });
    expect(rows['base-url']?.value).toBe('http://api.example.com');
  });

  it.each([{}, { CI: 'true', GITHUB_ACTIONS: 'true' }])(
    'that is missing is an error with both ways to go on, with %j',
    async (more) => {
      const { exit, stdout, stderr } = await run(['me'], { env: { VALS_TOKEN: testToken, ...more } });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toContain('--base-url');
      expect(stderr).toContain('--local');
      const json = await run(['push', '-', '--name', 'x', '--json'], { env: more, input: 'x' });
      expect(json).toMatchObject({
        exit: 2,
        error: { kind: 'usage', exit: 2, hint: expect.stringContaining('--local') },
      });
    },
  );
});

describe('the token', () => {
  it.each([
    ...['me', 'runs', 'likes', 'comments', 'refs', 'push - --name x', 'val create x'],
    ...[`val rm ${id} --yes`, `val runs ${id}`, `version ls ${id}`, `version new ${id}`],
    ...[`version get ${id} 1`, `version rm ${id} 1 --yes`, 'api GET /v1/me'],
  ])('that is missing: `vals %s` sends nothing', async (line) => {
    const service = await scriptedService([]);
    const env = { VALS_BASE_URL: service.baseUrl };
    const { exit, error } = await run([...line.split(' '), '--json'], { env, input: 'code' });
    expect({ exit, error }).toEqual({
      exit: 4,
      error: expect.objectContaining({ kind: 'auth', exit: 4, hint: expect.stringContaining('VALS_TOKEN') }),
    });
    expect(service.requests).toEqual([]);
  });

  it('that was stored is sent only to its exact origin', async () => {
    const home = temporaryFolder();
    const first = await scriptedService([accepted, accepted]);
    const other = await scriptedService([{ body: { name: 'x' } }]);
    await signIn(home, first.baseUrl, 'stored-token');

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

  it.each(['two words', 'line\nbreak', 'tëken', 'nul\u0001'])(
    'with the value %j is refused, and the error does not repeat the value',
    async (token) => {
      const service = await scriptedService([]);
      const result = await run(['me'], { env: { VALS_BASE_URL: service.baseUrl, VALS_TOKEN: token } });
      expect(result).toMatchObject({ exit: 2, stdout: '' });
      expect(result.stderr).not.toContain(token);
    },
  );

  it('of digits alone is removed from numbers too, and JSON stays valid', async () => {
    const token = '9081726354';
    const service = await scriptedService([
      { body: { n: Number(token), s: `a${token}b`, [token]: [Number(token)] } },
    ]);
    const env = { VALS_BASE_URL: service.baseUrl, VALS_TOKEN: token };
    const { exit, stdout } = await run(['me', '--json'], { env });
    expect(exit).toBe(0);
    expect(stdout).not.toContain(token);
    expect(Object.keys(JSON.parse(stdout) as object)).toHaveLength(3);
  });

  it('that was stored is never printed', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([
      accepted,
      { status: 400, body: { message: 'no stored-token here' } },
    ]);
    await signIn(home, service.baseUrl, 'stored-token');
    const result = await run(['me', '--debug'], { home });
    expect(result.exit).toBe(6);
    expect(result.stderr).toContain('here');
    expect(result.stderr).not.toContain('stored-token');
  });
});

describe('the folder of a project', () => {
  it('changes no setting', async () => {
    const service = await scriptedService([]);
    const cwd = temporaryFolder();
    const pairs = `VALS_BASE_URL=${service.baseUrl}\nVALS_TOKEN=${testToken}\nVALS_LOCAL=1\n`;
    const json = JSON.stringify({
      baseUrl: service.baseUrl,
      'base-url': service.baseUrl,
      base_url: service.baseUrl,
      token: testToken,
      tokens: { [service.baseUrl]: testToken },
      local: true,
      vals: { baseUrl: service.baseUrl, token: testToken },
    });
    for (const folder of ['', '.vals', '.config/vals', 'vals'])
      mkdirSync(join(cwd, folder), { recursive: true });
    for (const name of ['.env', '.env.local', '.valsrc', '.npmrc']) writeFileSync(join(cwd, name), pairs);
    for (const name of ['vals.json', 'config.json', 'package.json', '.vals/config.json', '.vals/state.json'])
      writeFileSync(join(cwd, name), json);
    for (const name of ['.config/vals/config.json', 'vals/config.json', '.valsrc.json'])
      writeFileSync(join(cwd, name), json, { mode: 0o600 });

    const home = temporaryFolder();
    const rows = await settingsOf([], { cwd, home });
    expect(rows).toMatchObject({
      'base-url': { value: null, source: 'not set' },
      token: { value: null, source: 'not set' },
      local: { value: false, source: 'default' },
    });
    expect(await run(['me'], { cwd, home })).toMatchObject({ exit: 2, stdout: '' });
    const env = { VALS_BASE_URL: service.baseUrl };
    expect(await run(['me'], { cwd, home, env })).toMatchObject({ exit: 4, stdout: '' });
    expect(service.requests).toEqual([]);
  });
});

describe('a setting that makes no sense', () => {
  type Refused = [name: string, args: string[], env: Record<string, string>];
  const deadlines = ['0', '-1', 'abc', ' ', 'NaN', 'Infinity', '1e9', '86401', '10s', '1,5', '--json'];
  it.each<Refused>([
    ['--timeout', ['--timeout='], {}],
    ...deadlines.map((word): Refused => ['--timeout', [`--timeout=${word}`], {}]),
    ...deadlines.map((word): Refused => ['VALS_TIMEOUT', [], { VALS_TIMEOUT: word }]),
    ...['VALS_LOCAL', 'VALS_DEBUG', 'VALS_ALLOW_HTTP'].map(
      (name): Refused => [name, [], { [name]: 'perhaps' }],
    ),
  ])('%s is refused: %j %j', async (name, args, env) => {
    const service = await scriptedService([]);
    const result = await run(['me', ...args], { env: { ...service.env, ...env } });
    expect(result).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining(name) });
    expect(service.requests).toEqual([]);
  });

  it('is quoted in the error if the variable must be 1 or 0', async () => {
    const { stderr } = await run(['me'], { env: { VALS_DEBUG: 'perhaps' } });
    expect(stderr).toBe(
      'error: VALS_DEBUG must be 1 or 0, not "perhaps".\nhint: Set VALS_DEBUG=1, or unset VALS_DEBUG.\n',
    );
  });
});

describe('a config file that cannot be used', () => {
  const contents: [string, string | Uint8Array][] = [
    ['nothing', ''],
    ['no JSON', 'baseUrl = "https://a.example"'],
    ['half a file', '{"baseUrl":"https://a.example","tokens":{"https://a.exa'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a text', '"https://a.example"'],
    ['a number as base URL', '{"baseUrl":5,"tokens":{}}'],
    ['tokens in an array', '{"tokens":["abc"]}'],
    ['tokens that are null', '{"tokens":null}'],
    ['a token that is no text', '{"tokens":{"https://a.example":5}}'],
    ['bytes', new Uint8Array([0xff, 0xfe, 0x00, 0x7b])],
  ];
  const uses: [string, string[], string][] = [
    ['me', ['me'], ''],
    ['config', ['config'], ''],
    ['login', ['login', '--with-token'], 'new-token'],
    ['logout', ['logout'], ''],
  ];
  it.each(contents)('with %s stays unchanged', async (_what, content) => {
    const service = await scriptedService([], forAll(accepted));
    const results = await Promise.all(
      uses.map(async ([, args, input]) => {
        const home = temporaryFolder();
        const file = writeConfig(home, content);
        const env = { VALS_BASE_URL: service.baseUrl };
        const { exit, stdout, stderr } = await run(args, { home, env, input });
        return { exit, stdout, named: stderr.includes(file), bytes: readFileSync(file).toString('hex') };
      }),
    );
    const bytes = Buffer.from(content).toString('hex');
    expect(Object.fromEntries(uses.map(([name], index) => [name, results[index]]))).toEqual(
      Object.fromEntries(uses.map(([name]) => [name, { exit: 10, stdout: '', named: true, bytes }])),
    );
  });

  it('is an error if its folder is a file', async () => {
    const home = folderOf({ file: 'precious' });
    const service = await scriptedService([accepted]);
    const env = { VALS_CONFIG_DIR: join(home, 'file'), VALS_BASE_URL: service.baseUrl };
    const result = await run(['login', '--with-token'], { home, env, input: 'token-of-mine' });
    expect(result).toMatchObject({ exit: 10, stdout: '' });
    expect(readFileSync(join(home, 'file'), 'utf8')).toBe('precious');
  });

  it.runIf(process.platform === 'linux').each([
    { args: ['login', '--with-token'], names: 'VALS_CONFIG_DIR' },
    { args: ['likes', '--local'], names: 'VALS_DATA_DIR' },
  ])('is an error if the home is read-only: $args names $names', async ({ args, names }) => {
    const { baseUrl } = await scriptedService([], forAll(accepted));
    const env = args.includes('--local') ? {} : { VALS_BASE_URL: baseUrl };
    const result = await run(args, { home: '/proc', env, input: 'token-of-mine' });
    expect(result).toMatchObject({ exit: 10, stdout: '', stderr: expect.stringContaining(names) });
  });

  it('does no harm if the environment has all settings', async () => {
    const home = temporaryFolder();
    writeConfig(home, 'not JSON');
    const service = await scriptedService([accepted]);
    expect(await run(['me'], { home, env: service.env })).toMatchObject({ exit: 0, stderr: '' });
    expect(await run(['push', '-', '--name', 'x', '--dry-run'], { home, input: 'x' })).toMatchObject({
      exit: 0,
    });
  });
});

describe('vals config', () => {
  it('shows each setting, its source and the files', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted]);
    await signIn(home, service.baseUrl, 'stored-token');
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

  it.each<{ env: Record<string, string>; file: string }>([
    { env: { VALS_CONFIG_DIR: '/somewhere/else' }, file: '/somewhere/else/config.json' },
    { env: { XDG_CONFIG_HOME: '/xdg' }, file: '/xdg/vals/config.json' },
  ])('names the file under $env', async ({ env, file }) => {
    expect((await settingsOf([], { env }))['config-file']?.value).toBe(file);
  });

  it('never shows a token, nor the password of a proxy', async () => {
    const addresses = [
      'http://ada:hunter2@proxy.example:3128',
      'http://ada:hunter%40hunter2@proxy.example:3128',
      'http://ada:p@hunter2@proxy.example:3128',
      'http://ada:hunter2@proxy.example:3128/',
      'http://hunter2@proxy.example',
      'ada:hunter2@proxy.example:3128',
    ];
    const shown = await Promise.all(
      addresses.flatMap((address) =>
        ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'].map(async (name) => {
          const env = { [name]: address, VALS_TOKEN: testToken, VALS_BASE_URL: 'https://api.example' };
          const { stdout, stderr } = await run(['config'], { env });
          return { name, address, said: stdout + stderr };
        }),
      ),
    );
    expect(shown.filter(({ said }) => /hunter2|test-token/.test(said))).toEqual([]);
    expect(
      shown.filter(({ said, address }) => address.startsWith('http') && !said.includes('proxy.example')),
    ).toEqual([]);
  });

  it('is a table at a terminal and tab-separated in a pipe', async () => {
    const env = { VALS_BASE_URL: 'https://api.example', VALS_TOKEN: testToken };
    const { screen } = await runOnScreen(['config', '--no-color'], { env });
    expect(screen).toMatch(/^SETTING +VALUE +SOURCE *\r\n/);
    expect((await run(['config'], { env })).stdout).toMatch(
      /^base-url\thttps:\/\/api.example\tVALS_BASE_URL\n/,
    );
  });
});

describe('the trace', () => {
  it.each([
    { args: ['--debug'], env: {} },
    { args: [], env: { VALS_DEBUG: '1' } },
  ])('of $args $env goes to stderr, without the token', async ({ args, env }) => {
    const service = await scriptedService([{ status: 503 }, accepted]);
    const { exit, stdout, stderr } = await run(['me', '--json', ...args], {
      env: { ...service.env, ...env },
    });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${JSON.stringify(ada)}\n` });
    expect(stderr).toContain(`GET ${service.baseUrl}/v1/me`);
    expect(stderr).toMatch(/503.*200/s);
    expect(stderr).not.toContain(testToken);
    expect(stderr).not.toMatch(/bearer/i);
  });

  it('is not written by default', async () => {
    const service = await scriptedService([accepted]);
    expect(await run(['me'], { env: { ...service.env, DEBUG: '*', NODE_DEBUG: '' } })).toMatchObject({
      stderr: '',
    });
  });

  it('leaves the error object on the last line', async () => {
    const service = await scriptedService([{ status: 404 }]);
    const { error } = await run(['me', '--json', '--debug'], { env: service.env });
    expect(error).toMatchObject({ kind: 'not_found' });
  });
});

describe('a proxy', () => {
  async function watchedProxy() {
    const seen: string[] = [];
    const { port } = await rawService({
      received(socket, text) {
        seen.push(text);
        socket.destroy();
      },
    });
    return { seen, address: `127.0.0.1:${port}` };
  }

  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

  it.each(['127.0.0.1', 'localhost', '127.1'])('is not used for %s', async (host) => {
    const proxy = await watchedProxy();
    const service = await scriptedService([accepted, accepted]);
    const baseUrl = service.baseUrl.replace('127.0.0.1', host);
    for (const more of [{}, { NO_PROXY: 'elsewhere.example', no_proxy: '' }]) {
      const env = {
        ...Object.fromEntries(names.map((name) => [name, `http://${proxy.address}`])),
        ...more,
        VALS_BASE_URL: baseUrl,
        VALS_TOKEN: testToken,
      };
      expect(await run(['me'], { env })).toMatchObject({ exit: 0 });
    }
    expect(service.requests).toHaveLength(2);
    expect(proxy.seen).toEqual([]);
  });

  it('is not used by --local', async () => {
    const proxy = await watchedProxy();
    const env = Object.fromEntries(names.map((name) => [name, `http://${proxy.address}`]));
    expect(await run(['likes', '--local'], { env })).toMatchObject({ exit: 0 });
    expect(proxy.seen).toEqual([]);
  });

  it('is not used for hosts that NO_PROXY names', async () => {
    const proxy = await watchedProxy();
    const env = {
      HTTPS_PROXY: `http://${proxy.address}`,
      NO_PROXY: 'vals.invalid',
      VALS_BASE_URL: 'https://vals.invalid',
      VALS_TOKEN: testToken,
    };
    expect(await run(['me'], { env, clock: quickRetries })).toMatchObject({ exit: 7, stdout: '' });
    expect(proxy.seen).toEqual([]);
  });

  it('from the variable in lower case comes first, as `vals config` shows', async () => {
    const [small, capital] = [await watchedProxy(), await watchedProxy()];
    const env = {
      https_proxy: `http://${small.address}`,
      HTTPS_PROXY: `http://${capital.address}`,
      VALS_BASE_URL: 'https://vals.invalid',
      VALS_TOKEN: testToken,
    };
    await run(['me'], { env, clock: quickRetries });
    expect([small.seen.length > 0, capital.seen.length]).toEqual([true, 0]);
    expect((await settingsOf([], { env }))['https-proxy']?.value).toBe(`http://${small.address}`);
  });

  it.each(['not a URL', 'http://', 'ada:hunter2@proxy.example:3128', 'http://ada:50%hunter2@127.0.0.1:1'])(
    'that is not a valid address is refused: %s',
    async (address) => {
      const env = { HTTPS_PROXY: address, VALS_BASE_URL: 'https://vals.invalid', VALS_TOKEN: testToken };
      const { exit, stdout, stderr } = await run(['me', '--timeout', '1'], { env });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toContain('HTTPS_PROXY');
      expect(stderr).not.toContain('hunter2');
    },
  );
});
