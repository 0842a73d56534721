// Settings: where each comes from, what is refused, where the token goes, and that it goes nowhere else.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
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
import { rawService } from '../support/raw-service.ts';
import { type Reply, type Seen, scriptedService, testToken } from '../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const ada = { id: 'u1', username: 'ada' };
const accepted: Reply = { body: ada };
const forAll = (reply: Reply) => () => reply;
const bearer = (requests: readonly Seen[]) => requests.map(({ headers }) => headers.authorization);

/** The file that `vals login` writes for this home. */
const configFile = (home: string): string => join(home, '.config', 'vals', 'config.json');

function writeConfig(home: string, content: string | Uint8Array): string {
  const file = configFile(home);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

async function signIn(home: string, baseUrl: string, token: string): Promise<void> {
  const { exit, stderr } = await run(['login', '--base-url', baseUrl, '--with-token'], {
    home,
    input: token,
  });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
}

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

describe('flag, then environment, then what was stored', () => {
  it('base URL', async () => {
    const home = temporaryFolder();
    const stored = await scriptedService([accepted, accepted]);
    const inEnvironment = await scriptedService([accepted]);
    const asFlag = await scriptedService([accepted]);
    await signIn(home, stored.baseUrl, 'stored-token');

    const env = { VALS_BASE_URL: inEnvironment.baseUrl, VALS_TOKEN: testToken };
    expect(await run(['me', '--base-url', asFlag.baseUrl], { home, env })).toMatchObject({ exit: 0 });
    expect(bearer(asFlag.requests)).toEqual([`Bearer ${testToken}`]);
    expect(await run(['me'], { home, env })).toMatchObject({ exit: 0 });
    expect(bearer(inEnvironment.requests)).toEqual([`Bearer ${testToken}`]);
    expect(await run(['me'], { home })).toMatchObject({ exit: 0 });
    expect(bearer(stored.requests)).toEqual(['Bearer stored-token', 'Bearer stored-token']);
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
  ])('a deadline that counts: $args $env', async ({ args, env }) => {
    const service = await scriptedService([() => {}]);
    const result = await run(['me', '--json', ...args], { env: { ...service.env, ...env } });
    expect(result).toMatchObject({ exit: 7, stdout: '', error: { kind: 'unavailable' } });
  });

  it('--local before VALS_BASE_URL, which then is not asked', async () => {
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

  it('flags before the command count as those after it', async () => {
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
  ])('with the path "$path" asks for $asked', async ({ path, asked }) => {
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
    'that nobody gave: both ways to go on, %j',
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
  ])('missing: `vals %s` sends nothing', async (line) => {
    const service = await scriptedService([]);
    const env = { VALS_BASE_URL: service.baseUrl };
    const { exit, error } = await run([...line.split(' '), '--json'], { env, input: 'code' });
    expect({ exit, error }).toEqual({
      exit: 4,
      error: expect.objectContaining({ kind: 'auth', exit: 4, hint: expect.stringContaining('VALS_TOKEN') }),
    });
    expect(service.requests).toEqual([]);
  });

  it('that was stored goes to its exact origin alone', async () => {
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
    // What works without a token goes there without one.
    await run(['val', 'get', id, '--base-url', other.baseUrl], { home });
    expect(bearer(other.requests)).toEqual([undefined]);
    // The path is not part of the origin.
    expect(await run(['me', '--base-url', `${first.baseUrl}/below`], { home })).toMatchObject({ exit: 0 });
    expect(bearer(first.requests)).toEqual(['Bearer stored-token', 'Bearer stored-token']);
  });

  it('of the environment goes to the base URL in force, stored or not', async () => {
    const home = temporaryFolder();
    const first = await scriptedService([accepted, accepted]);
    const other = await scriptedService([accepted]);
    await signIn(home, first.baseUrl, 'stored-token');
    await run(['me'], { home, env: { VALS_TOKEN: testToken } });
    await run(['me', '--base-url', other.baseUrl], { home, env: { VALS_TOKEN: testToken } });
    expect(bearer(first.requests)).toEqual(['Bearer stored-token', `Bearer ${testToken}`]);
    expect(bearer(other.requests)).toEqual([`Bearer ${testToken}`]);
  });

  it.each(['two words', 'line\nbreak', 'tëken', 'nul\u0001'])(
    '%j cannot be one, and is not repeated',
    async (token) => {
      const service = await scriptedService([]);
      const result = await run(['me'], { env: { VALS_BASE_URL: service.baseUrl, VALS_TOKEN: token } });
      expect(result).toMatchObject({ exit: 2, stdout: '' });
      expect(result.stderr).not.toContain(token);
    },
  );

  it('of digits alone is taken out of numbers too, and JSON stays JSON', async () => {
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

  it('that was stored is not printed either', async () => {
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

describe("a project's folder", () => {
  it('sets nothing', async () => {
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

describe('a deadline', () => {
  const words = ['0', '-1', 'abc', ' ', 'NaN', 'Infinity', '1e9', '86401', '10s', '1,5', '--json'];
  it.each([...words, ''])('of %j on the command line is refused', async (word) => {
    const service = await scriptedService([]);
    expect(await run(['me', `--timeout=${word}`], { env: service.env })).toMatchObject({
      exit: 2,
      stdout: '',
    });
    expect(service.requests).toEqual([]);
  });

  it.each(words)('of %j in the environment is refused', async (word) => {
    const service = await scriptedService([]);
    const result = await run(['me'], { env: { ...service.env, VALS_TIMEOUT: word } });
    expect(result).toMatchObject({ exit: 2, stdout: '' });
    expect(result.stderr).toContain('VALS_TIMEOUT');
    expect(service.requests).toEqual([]);
  });

  it.each(['VALS_LOCAL', 'VALS_DEBUG', 'VALS_ALLOW_HTTP'])(
    '%s that is neither on nor off is refused',
    async (name) => {
      const service = await scriptedService([]);
      const env = { ...service.env, [name]: 'perhaps' };
      const { exit, stderr } = await run(['me'], { env });
      expect(exit).toBe(2);
      expect(stderr).toContain(name);
    },
  );
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
  it.each(contents)('holding %s stays as it is', async (_what, content) => {
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

  it('says so in JSON, with what to do', async () => {
    const home = temporaryFolder();
    const file = writeConfig(home, 'x');
    expect((await run(['me', '--json'], { home })).error).toMatchObject({
      kind: 'local',
      exit: 10,
      hint: expect.stringContaining(file),
    });
  });

  it.each([[['me']], [['login', '--with-token', '--base-url', 'http://127.0.0.1:1']], [['config']]])(
    'because it is a folder: %j',
    async (args) => {
      const home = temporaryFolder();
      mkdirSync(join(configFile(home), 'precious'), { recursive: true });
      const result = await run([...args, '--timeout', '1'], { home, input: 'token-of-mine' });
      expect(result.exit).toBe(10);
      expect(readdirSync(configFile(home))).toEqual(['precious']);
    },
  );

  it('because its folder is a file', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'file'), 'precious');
    const service = await scriptedService([accepted]);
    const env = { VALS_CONFIG_DIR: join(home, 'file'), VALS_BASE_URL: service.baseUrl };
    const { exit, stdout } = await run(['login', '--with-token'], { home, env, input: 'token-of-mine' });
    expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
    expect(readFileSync(join(home, 'file'), 'utf8')).toBe('precious');
  });

  it('does no harm where the environment has everything', async () => {
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
    // A proxy without a scheme may be refused; its password is not shown either way.
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

describe('vals login', () => {
  it('--with-token stores what the service accepts, for the owner alone', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, accepted]);
    // Whatever the umask allows.
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

  it('says what it asks for, asks, where the token does not appear, and says what to do next', async () => {
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
    { what: 'a list', reply: { body: [ada] }, exit: 11 },
    { what: 'a redirect', reply: { status: 302, headers: { location: '/login' } }, exit: 11 },
    { what: 'a broken connection', reply: (response) => response.destroy(), exit: 7 },
  ];
  it.each(refusals)('stores nothing that is answered with $what', async ({ reply, exit }) => {
    const home = temporaryFolder();
    const { baseUrl } = await scriptedService([], forAll(reply));
    const args = ['login', '--base-url', baseUrl, '--with-token'];
    const result = await run(args, { home, input: 'token-of-mine', clock: quickRetries });
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).not.toContain('token-of-mine');
    expect(existsSync(configFile(home))).toBe(false);
  });

  it('with a wrong token leaves the one that was stored', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, { status: 401 }]);
    await signIn(home, service.baseUrl, 'stored-token');
    const before = readFileSync(configFile(home), 'utf8');
    const args = ['login', '--base-url', service.baseUrl, '--with-token'];
    expect(await run(args, { home, input: 'wrong-token' })).toMatchObject({ exit: 4 });
    expect(readFileSync(configFile(home), 'utf8')).toBe(before);
  });

  it.each([
    { args: ['login', '--base-url', 'http://127.0.0.1:1'], exit: 2 },
    { args: ['login'], exit: 2 },
    { args: ['login', '--local'], exit: 2 },
    { args: ['val', 'rm', id, '--base-url', 'http://127.0.0.1:1'], exit: 2 },
  ])('$args waits for nobody where there is no terminal', async ({ args, exit }) => {
    const home = temporaryFolder();
    // Standard input stays open, as in many a CI job.
    const result = await inProcess(args, { env: environment(home), cwd: home, input: new PassThrough() });
    expect(result.exit).toBe(exit);
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
    expect(result.stderr).not.toMatch(/token-of-mine|second/);
    expect(existsSync(configFile(home))).toBe(false);
  });

  it('again for the same service replaces its token', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([accepted, accepted]);
    await signIn(home, service.baseUrl, 'token-number-one');
    await signIn(home, service.baseUrl, 'token-number-two');
    const text = readFileSync(configFile(home), 'utf8');
    expect(text).toContain('token-number-two');
    expect(text).not.toContain('token-number-one');
  });

  it('closes a config file that was open to others, and says so', async () => {
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

  it('says when VALS_TOKEN hides what was stored', async () => {
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
    // The only service left is the default.
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
    { others: [two], now: two, says: 'The default is now https://two.example.' },
    { others: [two, three], now: undefined, says: 'now: `vals use <base-url>` chooses one of 2.' },
  ])('of the default, beside $others, says which one is the default', async ({ others, now, says }) => {
    const home = temporaryFolder();
    const tokens = (origins: (string | undefined)[]) =>
      Object.fromEntries(origins.map((origin) => [origin, 'token-of-mine']));
    writeConfig(home, JSON.stringify({ baseUrl: `${one}/base`, tokens: tokens([one, ...others]) }));
    const { exit, screen } = await runOnScreen(['logout'], { home, columns: 120 });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining(says) });
    const stored: unknown = JSON.parse(readFileSync(configFile(home), 'utf8'));
    expect(stored).toEqual({ ...(now && { baseUrl: now }), tokens: tokens(others) });
  });

  it('of somebody who is not signed in is no failure', async () => {
    const { exit, stdout } = await run(['logout', '--base-url', 'https://api.example']);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'not signed in\thttps://api.example\n' });
  });

  it('without a service is refused', async () => {
    expect(await run(['logout'])).toMatchObject({ exit: 2, stdout: '' });
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

  it('is not there unasked', async () => {
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

describe('what was mistyped', () => {
  const secret = 'hunter2secret';
  it.each<{ args: string[] }>([
    { args: [`--tokn=${secret}`] },
    { args: [`--tokn=${secret}`, 'me'] },
    { args: ['me', `--tokn=${secret}`] },
    { args: ['me', `--token=${secret}`] },
    { args: ['me', '--token', secret] },
    { args: ['login', '--with-token', secret] },
    { args: ['login', secret] },
    { args: ['login', `--with-token=${secret}`] },
    { args: ['login', `--withtoken=${secret}`] },
    { args: ['val', `--tokn=${secret}`, 'get', 'x'] },
    { args: ['val', 'get', 'x', `--tokn=a=${secret}`] },
    { args: ['me', `--tokn=it's ${secret}`] },
    { args: ['me', `--tokn=a\n${secret}`] },
    { args: ['me', `-t=${secret}`] },
    { args: ['me', `-t${secret}`] },
    { args: ['me', `--base-ur=https://ada:${secret}@a.example`] },
    { args: ['--tokn', secret] },
    { args: ['nonsense', '--token', secret] },
    { args: ['val', '--tokn', secret, 'get', 'x'] },
  ])('$args does not show its value', async ({ args }) => {
    for (const json of [[], ['--json']]) {
      const { exit, stdout, stderr } = await run([...args, ...json]);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).not.toContain(secret);
    }
  });

  it.each<{ args: string[]; meant: string }>([
    { args: ['pusg'], meant: 'push' },
    { args: ['logn'], meant: 'login' },
    { args: ['comment'], meant: 'comments' },
    { args: ['verson', 'ls', id], meant: 'version' },
    { args: ['val', 'gett', id], meant: 'get' },
    { args: ['val', 'deleet', id], meant: 'delete' },
    { args: ['version', 'lst', id], meant: 'list' },
    { args: ['me', '--jsn'], meant: '--json' },
    { args: ['runs', '--limt', '3'], meant: '--limit' },
    { args: ['runs', '--no-eror'], meant: '--no-error' },
    { args: ['push', 'x.ts', '--dryrun'], meant: '--dry-run' },
    { args: ['me', '--no-colour'], meant: '--no-color' },
    { args: ['me', '--base-ur=https://a.example'], meant: '--base-url' },
    { args: ['--jsn', 'me'], meant: '--json' },
    { args: ['--base-ulr', 'https://a.example', 'me'], meant: '--base-url' },
    { args: ['val', '--jsn', 'get', id], meant: '--json' },
    { args: ['val', '--timout', '3', 'get', id], meant: '--timeout' },
    { args: ['comments', '--relationship', 'givn'], meant: 'given' },
    { args: ['rm', id], meant: '`vals val rm`?' },
    { args: ['get', id], meant: '`vals val get`?' },
    { args: ['whoami'], meant: '`vals me`?' },
    { args: ['auth'], meant: '`vals login`?' },
    { args: ['auth', 'login'], meant: '`vals login`?' },
    { args: ['auth', 'logout', '--help'], meant: '`vals logout`?' },
    { args: ['logs'], meant: '`vals runs`?' },
    { args: ['val', 'versions', id], meant: '`vals version ls`?' },
    { args: ['val', 'status'], meant: '`vals status`?' },
    { args: ['options'], meant: '`vals help options`?' },
    { args: ['-v'], meant: '`vals --version`?' },
    { args: ['mv', 'a', 'b'], meant: '`vals val set <val> --name <name>`?' },
  ])('$args: did you mean $meant?', async ({ args, meant }) => {
    const { exit, stdout, stderr } = await run(args);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/did you mean/i);
    expect(stderr.slice(stderr.search(/did you mean/i))).toContain(meant);
  });

  it.each<{ args: string[] }>([
    { args: ['val', 'get'] },
    { args: ['val', 'get', ''] },
    { args: ['val', 'get', '..'] },
    { args: ['version', 'get', id, 'one'] },
    { args: ['version', 'get', id, '-1'] },
    { args: ['likes', '--limit', '0'] },
    { args: ['likes', '--limit', '-1'] },
    { args: ['likes', '--limit', '1.5'] },
    { args: ['likes', '--offset', 'x'] },
    { args: ['runs', '--since', '2026-02-30'] },
    { args: ['runs', '--since', 'yesterday'] },
    { args: ['runs', '--until', ''] },
    { args: ['push', '--concurrency', '0', 'x.ts'] },
    { args: ['val', 'rm', id, '--yes=no'] },
    { args: ['version', 'rm', id, '1', '--yes=false'] },
    { args: ['val', 'get', id, '--code=hello.ts'] },
    { args: ['push', '-', '--name', 'x', '--dry-run=false'] },
  ])('$args is refused before anything is sent, in JSON too', async ({ args }) => {
    const service = await scriptedService([]);
    const plain = await run(args, { env: service.env });
    expect(plain).toMatchObject({ exit: 2, stdout: '' });
    expect(plain.stderr).toMatch(/^error: .+\n/);
    const json = await run(['--json', ...args], { env: service.env });
    expect(json).toMatchObject({ exit: 2, stdout: '', error: { kind: 'usage', exit: 2 } });
    expect(service.requests).toEqual([]);
  });
});

describe('a usage error', () => {
  it.each<[string, string]>([
    ['nonsense', 'There is no command `vals nonsense`.'],
    ['val nonsense x', 'There is no command `vals val nonsense`.'],
    ['constructor', 'There is no command `vals constructor`.'],
    ['me --nonsense', '`vals me` has no option --nonsense.'],
    ['--nonsense', '`vals` has no option --nonsense.'],
    ['me --json=yes', '--json takes no value.'],
    ['-hx', '-h takes no value.'],
    ['likes --limit', '--limit needs a value: --limit <n>.'],
    ['me too many', '`vals me` takes no arguments, but was given 2.'],
    ['val get a b', '`vals val get` takes one argument, but was given 2.'],
    ['version diff a 1 2 3', '`vals version diff` takes at most 3 arguments, but was given 4.'],
    ['val rm', "`vals val rm` needs <val...>: the vals' names or ids, or in a workspace their files."],
    ['version get x', '`vals version get` needs <version>: its number.'],
    ['likes --limit 5 --all', '--limit and --all cannot be given together.'],
    ['me --json', '--json and --ndjson cannot be given together.'],
    ['runs --error --no-error', '--error and --no-error cannot be given together.'],
    ['runs --no-error --limit 2 --error', '--error and --no-error cannot be given together.'],
    ['api', 'Name the path of the request: `vals api /v1/me`.'],
    ['api GET', 'Name the path of the request: `vals api /v1/me`.'],
    ['comments --relationship some', '--relationship takes any, given, received, not "some".'],
  ])('of `vals %s` is a sentence of ours', async (line, sentence) => {
    const { exit, stdout, stderr } = await inProcess(['--ndjson', ...line.split(' ')], { env: {} });
    expect({ exit, stdout, message: JSON.parse(stderr).error.message }).toEqual({
      exit: 2,
      stdout: '',
      message: sentence,
    });
  });

  it('says where a token belongs', async () => {
    expect((await inProcess(['me', '--token', 'x'], { env: {} })).stderr).toContain('VALS_TOKEN');
  });
});

describe('what is not mistyped', () => {
  it.each<{ args: string[]; path: string }>([
    // The value of an option may be the name of a command.
    { args: ['--fields', 'me', 'comments'], path: '/v1/me/comments?' },
    { args: ['--', 'me'], path: '/v1/me' },
    {
      args: ['val', '--', 'get', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11'],
      path: '/v1/vals/4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11',
    },
    { args: ['me', '--color', '--no-color'], path: '/v1/me' },
  ])('$args', async ({ args, path }) => {
    const service = await scriptedService([{ body: { data: [], id: 'x' } }]);
    expect(await run(args, { env: service.env })).toMatchObject({ exit: 0, stderr: '' });
    expect(service.requests[0]?.path).toContain(path);
  });
});

describe('help', () => {
  it.each<{ args: string[]; holds: string[] }>([
    { args: [], holds: ['push', 'login', 'version'] },
    { args: ['--help'], holds: ['push', 'login', 'version'] },
    { args: ['-h'], holds: ['push'] },
    { args: ['help'], holds: ['push'] },
    { args: ['val'], holds: ['create', 'get', 'rm', 'runs', 'push'] },
    { args: ['version'], holds: ['ls', 'new', 'get', 'rm'] },
    { args: ['val', '--help'], holds: ['create'] },
    { args: ['help', 'val'], holds: ['create'] },
    { args: ['help', 'push'], holds: ['--concurrency', '--dry-run', '--json', '`vals help options`'] },
    { args: ['push', '--help'], holds: ['--concurrency', '--dry-run', '--json', '`vals help options`'] },
    { args: ['val', 'push', '-h'], holds: ['--concurrency'] },
    { args: ['val', 'help', 'get'], holds: ['--code', '--readme'] },
    { args: ['val', 'get', id, '--code', '--help'], holds: ['--readme'] },
    { args: ['login', '--help'], holds: ['--with-token', '--base-url'] },
    { args: ['val', '--help'], holds: ['  $ vals val create', '`vals val <command> --help`'] },
    { args: ['me', '--help'], holds: ['`vals help options`'] },
    { args: ['help', 'push', '--'], holds: ['--concurrency'] },
    { args: ['help', 'push', '--name'], holds: ['--concurrency'] },
    // A command is never run for its help.
    { args: ['help', 'run', 'hello.ts'], holds: ['--max-time'] },
    { args: ['runs', '--limit', 'x', '--help'], holds: ['--follow'] },
    {
      args: ['help', 'options'],
      holds: ['--base-url', '--allow-http', '--no-color', 'VALS_TIMEOUT', 'VALS_TOKEN'],
    },
  ])('$args', async ({ args, holds }) => {
    const { exit, stdout, stderr } = await run(args);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: vals /);
    expect(holds.filter((word) => !stdout.includes(word))).toEqual([]);
    expect(stdout).not.toContain('\u001b');
  });

  it.each([[['--version']], [['-V']], [['-V', 'nonsense']], [['--version', '--json']]])(
    '%j',
    async (args) => {
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
      expect(await run(args)).toMatchObject({ exit: 0, stdout: `${version}\n`, stderr: '' });
    },
  );

  it('needs no settings that make sense', async () => {
    const home = temporaryFolder();
    writeConfig(home, 'not JSON');
    const env = {
      VALS_BASE_URL: 'nonsense',
      VALS_TIMEOUT: 'x',
      VALS_DEBUG: 'perhaps',
      VALS_TOKEN: 'two words',
    };
    for (const args of [[], ['push', '--help'], ['--version'], ['help', 'me']]) {
      expect(await run(args, { home, env })).toMatchObject({ exit: 0, stderr: '' });
    }
  });
});

describe('a proxy', () => {
  /** Takes what comes, keeps it, and hangs up. */
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

  it.each([
    { name: 'HTTPS_PROXY', baseUrl: 'https://vals.invalid', target: 'vals.invalid:443' },
    { name: 'https_proxy', baseUrl: 'https://vals.invalid:8443/x', target: 'vals.invalid:8443' },
    { name: 'HTTP_PROXY', baseUrl: 'http://vals.invalid', target: 'vals.invalid' },
  ])('of $name is used for $baseUrl, and sees no token', async ({ name, baseUrl, target }) => {
    const proxy = await watchedProxy();
    const env = {
      [name]: `http://ada:hunter2@${proxy.address}`,
      VALS_BASE_URL: baseUrl,
      VALS_TOKEN: testToken,
    };
    const { exit, stdout, stderr } = await run(['me', '--allow-http', '--debug'], {
      env,
      clock: quickRetries,
    });
    expect({ exit, stdout }).toEqual({ exit: 7, stdout: '' });
    expect(proxy.seen[0]).toMatch(new RegExp(`^[A-Z]+ (?:http://)?${target}`));
    if (baseUrl.startsWith('https')) expect(proxy.seen.join('')).not.toContain(testToken);
    expect(stderr).not.toContain('hunter2');
  });

  it('is not used for what NO_PROXY names', async () => {
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

  it('is the one that `vals config` names', async () => {
    const [one, other] = [await watchedProxy(), await watchedProxy()];
    const env = {
      https_proxy: `http://${one.address}`,
      HTTPS_PROXY: `http://${other.address}`,
      VALS_BASE_URL: 'https://vals.invalid',
      VALS_TOKEN: testToken,
    };
    await run(['me'], { env, clock: quickRetries });
    const used = [one, other].filter(({ seen }) => seen.length > 0).map(({ address }) => `http://${address}`);
    expect([(await settingsOf([], { env }))['https-proxy']?.value]).toEqual(used);
  });

  it.each(['not a URL', 'http://', 'ada:hunter2@proxy.example:3128'])(
    'that makes no sense is a setting to mend: %s',
    async (address) => {
      const env = { HTTPS_PROXY: address, VALS_BASE_URL: 'https://vals.invalid', VALS_TOKEN: testToken };
      const { exit, stdout, stderr } = await run(['me', '--timeout', '1'], { env });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toContain('HTTPS_PROXY');
      expect(stderr).not.toContain('hunter2');
    },
  );
});
