import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/cases.ts';
import {
  environment,
  exitStatus,
  makeNamedPipe,
  program,
  type RunOptions,
  run,
  temporaryFolder,
} from '../support/program.ts';
import { type Seen, scriptedService } from '../support/scripted-service.ts';
import { put } from './support.ts';
import { whileSwapping } from './swap.ts';

interface ValsOptions extends RunOptions {
  uid?: number;
  preload?: string;
  here?: boolean;
}

async function vals(args: readonly string[], options: ValsOptions) {
  const home = options.home ?? temporaryFolder();
  const own = { VALS_CONFIG_DIR: home, VALS_DATA_DIR: home, ...options.env };
  if (options.here) return run(args, { ...options, home, env: own });
  const preload = options.preload === undefined ? [] : ['--require', options.preload];
  const { exitCode, stdout, stderr } = await execa(process.execPath, [...preload, program, ...args], {
    env: environment(home, own),
    extendEnv: false,
    cwd: options.cwd ?? home,
    input: options.input ?? '',
    reject: false,
    timeout: 40_000,
    killSignal: 'SIGKILL',
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  });
  return { exit: exitCode, stdout, stderr };
}

const hourAgo = Date.now() / 1_000 - 7_200;

function outsideFolder(): string {
  const folder = temporaryFolder();
  const temporary = '.5f0c1c1e-6a53-4bd2-9a2e-1f1f3f0b9c11.tmp';
  for (const name of ['notes.txt', temporary, 'lock', 'b.ts', 'tmp/notes.txt', `tmp/${temporary}`]) {
    put(folder, { [name]: `precious ${name}` });
    utimesSync(join(folder, name), hourAgo, hourAgo);
  }
  return folder;
}

const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
  );

const anyVal = () =>
  scriptedService([], ({ path, body }: Seen) => {
    const id = path.split('/').at(-1) ?? '';
    const name = id === 'vals' ? JSON.parse(body).name : id;
    return { body: { id: name, name, code: `theirs ${name}`, version: 2 } };
  });

const manifest = (service: string, files: readonly string[]) =>
  JSON.stringify({
    vals: Object.fromEntries(
      files.map((file) => {
        const name = file.replace(/^.*\/|\.ts$/g, '');
        return [file, { name, ids: { [service]: name } }];
      }),
    ),
  });

describe('nothing behind a link is touched', () => {
  const linked = [
    '.vals/tmp',
    '.vals',
    '.vals/agreed',
    '.vals/backup',
    '.vals/lock',
    '.vals/.gitignore',
    'sub',
  ];
  const systems = [
    { system: 'here', preload: undefined },
    { system: 'elsewhere', preload: resolve('test/workspace/elsewhere.cjs') },
  ];
  const shown = ['.vals/tmp', '.vals', 'sub'];
  const places = systems.flatMap((system) =>
    linked
      .filter((place) => isLong || system.preload === undefined || shown.includes(place))
      .map((place) => ({ place, ...system })),
  );
  it.each(places)('at $place ($system)', async ({ place, preload }) => {
    const service = await anyVal();
    const outside = outsideFolder();
    const cwd = temporaryFolder();
    const how = preload === undefined ? { here: true } : { preload };
    put(cwd, { 'vals.json': manifest(service.baseUrl, ['a.ts', 'sub/b.ts']), 'a.ts': 'mine' });
    expect(await vals(['pull', '--force'], { cwd, env: service.env, here: true })).toMatchObject({ exit: 0 });
    put(cwd, { 'a.ts': 'mine again' });
    for (const name of ['.gitignore', 'schema.json']) {
      copyFileSync(join(cwd, '.vals', name), join(outside, name));
    }
    rmSync(join(cwd, place), { recursive: true, force: true });
    const before = contents(outside);
    symlinkSync(/lock|ignore/.test(place) ? join(outside, 'lock') : outside, join(cwd, place));
    for (const args of [['init'], ['pull', '--force'], ['push', '--force']]) {
      const { exit, stderr } = await vals(args, { cwd, env: service.env, ...how });
      expect([0, 5, 9, 10], `${args}: ${stderr}`).toContain(exit);
      expect(contents(outside), `${args}`).toEqual(before);
    }
    expect(service.requests.map(({ body }) => body).join()).not.toContain('precious');
  });

  it.each([
    { args: ['pull', '--force'], place: 'sub' },
    { args: ['push', '--force'], place: 'sub' },
    { args: ['init'], place: '.vals' },
    { args: ['init'], place: '.vals/tmp' },
    { args: ['push', 'sub'], place: 'sub/b.ts', isPlain: true },
    { args: ['push', '.'], place: 'sub', isPlain: true },
  ])('that appears before any step: $place, $args', async ({ args, place, isPlain }) => {
    const service = await anyVal();
    let isSwapped = true;
    let steps = 0;
    for (; isSwapped; steps += 1) {
      const outside = outsideFolder();
      const before = contents(outside);
      const cwd = temporaryFolder();
      put(cwd, { 'sub/b.ts': 'mine', '.vals/tmp/.x': '' });
      if (!isPlain) put(cwd, { 'vals.json': manifest(service.baseUrl, ['sub/b.ts']) });
      const target = place.endsWith('.ts') ? join(outside, 'b.ts') : outside;
      const { exit, stderr } = await whileSwapping({ place: join(cwd, place), target, after: steps }, () =>
        vals(args, { cwd, env: service.env, here: true }),
      );
      expect([0, 2, 5, 10], `${steps}: ${stderr}`).toContain(exit);
      expect(contents(outside), `${steps}: ${stderr}`).toEqual(before);
      isSwapped = existsSync(`${join(cwd, place)}.aside`);
    }
    expect(steps).toBeGreaterThan(1);
    expect(service.requests.filter(({ body }) => body.includes('precious'))).toEqual([]);
  });
});

it('vals removes only old temporary files of its own', async () => {
  const cwd = temporaryFolder();
  const ours = (digit: number) => `.vals/tmp/.${digit}f0c1c1e-6a53-4bd2-9a2e-1f1f3f0b9c11.tmp`;
  const kept = ['.vals/tmp/notes.txt', '.vals/tmp/.x.tmp', ours(1), `${ours(3)}/file`, 'target'];
  put(cwd, Object.fromEntries([...kept, ours(0), ours(2)].map((file) => [file, 'x'])));
  symlinkSync('../../target', join(cwd, ours(4)));
  for (const file of [...kept, ours(0), ours(2)]) {
    if (file !== ours(1)) utimesSync(join(cwd, file), hourAgo, hourAgo);
  }
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(join(cwd, ours(2)), 65_534, 65_534);
  expect(await vals(['init'], { cwd, here: true })).toMatchObject({ exit: 0 });
  for (const file of [...kept, ours(4)]) expect(existsSync(join(cwd, file)), file).toBe(true);
  expect(existsSync(join(cwd, ours(0)))).toBe(false);
  expect(existsSync(join(cwd, ours(2)))).toBe(isRoot);
});

const wrongKinds: { kind: string; here?: boolean; make: (path: string) => void }[] = [
  { kind: 'a link to a device without an end', make: (path) => symlinkSync('/dev/zero', path) },
  { kind: 'a link to a file', here: true, make: (path) => symlinkSync('rules', path) },
  { kind: 'a named pipe', make: makeNamedPipe },
  { kind: 'a folder', here: true, make: (path) => mkdirSync(path) },
  {
    kind: 'too large',
    here: true,
    make: (path) => {
      writeFileSync(path, 'a.ts\n');
      truncateSync(path, 200 * 1_048_576);
    },
  },
];

describe('an ignore file that is not a regular file is not read, with one warning', () => {
  it.each(
    ['v/.gitignore', 'v/.valsignore', 'v/sub/.gitignore', '.gitignore'].flatMap((file, index) =>
      wrongKinds
        .filter(({ kind }) => kind !== 'too large')
        .filter(({ here }) => here || isLong || index === 0)
        .map((wrong) => ({ file, ...wrong })),
    ),
  )('$file is $kind', async ({ file, here, make }) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.git'));
    put(cwd, { 'v/a.ts': 'a', 'v/sub/b.ts': 'b', 'v/rules': '*', 'v/sub/rules': '*', rules: '*' });
    make(join(cwd, file));
    const { exit, stdout, stderr } = await vals(['push', 'v', 'v/sub', '--dry-run', '--json'], {
      cwd,
      here,
    });
    expect({ exit, stderr: stderr.match(/^warning: .*ignore was not read.*$/gm)?.length }).toEqual({
      exit: 0,
      stderr: 1,
    });
    expect(JSON.parse(stdout)).toHaveLength(2);
  });
});

describe('a file of another kind is an error, and nothing hangs', () => {
  const files = ['vals.json', 'a.ts', '.vals/lock', '.vals'];
  const shown = (file: string, kind: string) => isLong || file === 'vals.json' || !kind.includes('device');
  it.each(
    files.flatMap((file) =>
      wrongKinds.filter(({ kind }) => shown(file, kind)).map((wrong) => ({ file, ...wrong })),
    ),
  )('$file is $kind', async ({ file, kind, here, make }) => {
    const isOurs = file === '.vals' && kind === 'a folder';
    const cwd = temporaryFolder();
    const service = await anyVal();
    put(cwd, { rules: '{"vals":{}}' });
    if (file !== 'vals.json') put(cwd, { 'vals.json': manifest(service.baseUrl, ['a.ts']) });
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    make(join(cwd, file));
    for (const args of [['init'], ['push', '--force']]) {
      const { exit, stderr } = await vals(args, { cwd, env: service.env, here });
      expect([0, 9, 10], `${args}: ${stderr}`).toContain(exit);
      expect(stderr).not.toContain('/proc/self');
      if (args[0] === 'push' && !isOurs && file !== '.vals/lock') expect(exit, stderr).toBe(10);
    }
  });

  const zero = '/dev/zero';
  const none = '/dev/null';
  it.each([
    `push ${zero} --name x`,
    `val create x ${none}`,
    `val create x a.ts --readme ${none}`,
    `api POST /v1/vals --input ${none}`,
    'api POST /v1/vals --input large',
    'api POST /v1/vals -F code=@large',
    'push large --name x',
    'push found',
    `serve --port 0 --seed ${none}`,
    'push - --name x',
  ])('vals %s', async (line) => {
    const args = line.split(' ');
    const service = await scriptedService([]);
    const cwd = temporaryFolder();
    put(cwd, { 'a.ts': 'a', large: '', 'found/large.ts': '' });
    for (const large of ['large', 'found/large.ts']) truncateSync(join(cwd, large), 80 * 1_048_576);
    const input = args.includes('-') ? Buffer.alloc(80 * 1_048_576) : '';
    const here = !args.includes(zero);
    const { exit, stderr } = await vals(args, { cwd, env: service.env, input, here });
    expect({ exit, stderr }).toMatchObject({ exit: 10, stderr: expect.stringMatching(/device|larger than/) });
    expect(service.requests).toEqual([]);
  });

  it.each(wrongKinds.filter(({ kind }) => kind !== 'a link to a file'))(
    'the config file is $kind',
    async ({ make, here }) => {
      const home = temporaryFolder();
      make(join(home, 'config.json'));
      expect(await vals(['me'], { home, here })).toMatchObject({ exit: 10 });
    },
  );

  it('a named pipe is read to its end, and Ctrl-C ends the wait for it', async () => {
    const service = await anyVal();
    const cwd = temporaryFolder();
    const pipe = join(cwd, 'pipe.ts');
    makeNamedPipe(pipe);
    const code = 'x'.repeat(300_000);
    const reading = vals(['push', 'pipe.ts'], { cwd, env: service.env });
    await execa('sh', ['-c', 'cat > "$0"', pipe], { input: code });
    expect(await reading).toMatchObject({ exit: 0 });
    expect(JSON.parse(service.requests[0]?.body ?? '')).toMatchObject({ code });
    const waiting = execa(process.execPath, [program, 'push', 'pipe.ts'], {
      cwd,
      env: environment(cwd, service.env),
      extendEnv: false,
      reject: false,
    });
    const held = execa('sh', ['-c', 'exec 3> "$0"; echo open; read end', pipe], { stdin: 'pipe' });
    await new Promise((open) => held.stdout.once('data', open));
    waiting.kill('SIGINT');
    const { exitCode, signal } = await waiting;
    expect(exitStatus(exitCode, signal)).toBe(130);
    held.stdin.end('\n');
    await held;
  });
});

describe.skipIf(process.getuid?.() !== 0)('the workspace of another user is not used', () => {
  const stranger = 65_533;
  const me = 65_534;

  async function above(owners: Record<string, number>) {
    const service = await anyVal();
    const top = temporaryFolder();
    put(top, { 'vals.json': manifest(service.baseUrl, ['a.ts']), 'a.ts': 'a', 'mine/b.ts': 'b' });
    mkdirSync(join(top, '.vals'));
    chmodSync(top, 0o755);
    for (const [path, owner] of Object.entries({ '': 0, mine: me, 'mine/b.ts': me, ...owners })) {
      chownSync(join(top, path), owner, owner);
    }
    const home = temporaryFolder();
    chownSync(home, me, me);
    const asMe = (args: string[], env: Record<string, string> = {}) =>
      vals(args, { cwd: join(top, 'mine'), home, env: { ...service.env, ...env }, uid: me });
    return { service, top, home, asMe };
  }

  it.each([[''], ['vals.json'], ['.vals']])('if "%s" belongs to another user', async (place) => {
    const { service, top, home, asMe } = await above({ [place]: stranger });
    const commands = [
      ['push'],
      ['val', 'get', 'a'],
      ['push', '--watch'],
      ['val', 'rm', 'a', '--yes'],
      ['push', 'b.ts'],
      ['status'],
      ['diff'],
      ['pull'],
    ];
    for (const args of isLong ? commands : commands.slice(0, place === '' ? 3 : 1)) {
      const { exit, stderr } = await asMe([...args]);
      expect({ exit, stderr }, `${args}`).toMatchObject({ exit: 10 });
      expect(stderr).toContain('belongs to another user');
      expect(stderr).toContain(`add "${top}" to the list "safeDirectories" in ${join(home, 'config.json')}`);
    }
    expect(service.requests).toEqual([]);
    if (!isLong && place !== '') return;
    expect(await asMe(['__complete', 'bash', 'val', 'get', ''])).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(service.requests).toEqual([]);
    expect(await asMe(['init'])).toMatchObject({ exit: 0 });
    expect(await asMe(['push'])).toMatchObject({ exit: 0 });
    const sent = service.requests.filter(({ method }) => method === 'PUT');
    expect(sent.map(({ body }) => JSON.parse(body).name)).toEqual(['b']);
  });

  it('unless the config file allows the workspace, or root owns it', async () => {
    const roots = await above({});
    expect(await roots.asMe(['val', 'get', 'a', '--code'])).toMatchObject({ exit: 0 });
    const { top, home, asMe } = await above({ 'vals.json': stranger });
    const allow = (folder: string) => {
      writeFileSync(join(home, 'config.json'), JSON.stringify({ safeDirectories: [folder] }), {
        mode: 0o600,
      });
      chownSync(join(home, 'config.json'), me, me);
    };
    allow(dirname(top));
    expect(await asMe(['val', 'get', 'a', '--code'])).toMatchObject({ exit: 10 });
    allow(`${top}/`);
    expect(await asMe(['val', 'get', 'a', '--code'])).toMatchObject({ exit: 0, stdout: 'theirs a' });
    allow('relative');
    expect(await asMe(['val', 'get', 'a', '--code'])).toMatchObject({ exit: 10 });
  });

  it('by root or with sudo either, because files of root would stay behind', async () => {
    const { service, top } = await above({ '': stranger, 'vals.json': stranger });
    const env = { ...service.env, SUDO_UID: `${stranger}` };
    for (const args of [['val', 'get', 'a'], ['push'], ['status'], ['init']]) {
      const { exit, stderr } = await vals(args, { cwd: top, env, here: true });
      expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('without sudo') });
    }
  });

  it('if init would make it in the folder of another user', async () => {
    const { asMe } = await above({ mine: stranger });
    expect(await asMe(['init'])).toMatchObject({ exit: 10 });
  });

  it('a .vals folder without permissions gets an error message', async () => {
    const { service, top, asMe } = await above({ '.vals': me });
    chmodSync(join(top, '.vals'), 0o000);
    const { exit, stderr } = await asMe(['push']);
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('you have no permission') });
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

it('vals leaves out folders that are nested too deeply, without hanging', async () => {
  const service = await scriptedService([], () => ({ status: 404 }));
  const cwd = temporaryFolder();
  const nested = (depth: number) => Array.from({ length: depth }, () => 'd').join('/');
  put(cwd, {
    'vals.json': '{"vals":{}}',
    [`${nested(64)}/deep.ts`]: 'deep',
    [`${nested(1_800)}/deeper.ts`]: 'x',
  });
  const { exit, stdout, stderr } = await vals(['status', '--json'], { cwd, env: service.env });
  expect({ exit, files: JSON.parse(stdout).length }).toEqual({ exit: 0, files: 1 });
  expect(stderr).toContain('was not used, because it is more than 64 folders deep');
  const manifest = JSON.stringify({ vals: { [`${nested(65)}/a.ts`]: { name: 'a' } } });
  put(cwd, { 'vals.json': manifest });
  expect(await vals(['status'], { cwd, env: service.env, here: true })).toMatchObject({ exit: 10 });
});

it.each(['000', '777'])('only the owner can write to .vals, also with umask %s', async (umask) => {
  const cwd = temporaryFolder();
  put(cwd, { 'a.ts': 'a' });
  const script = `umask ${umask}; "$0" "$1" init && "$0" "$1" push --local`;
  await execa('sh', ['-c', script, process.execPath, program], {
    cwd,
    env: environment(cwd, {}),
    extendEnv: false,
  });
  const made = [
    'vals.json',
    ...readdirSync(join(cwd, '.vals'), { recursive: true }).map((file) => `.vals/${file}`),
  ];
  const wrong = made.filter((file) => (statSync(join(cwd, file)).mode & 0o622) !== 0o600);
  expect({ count: made.length > 5, wrong }).toEqual({ count: true, wrong: [] });
});

describe('a service that sends the token back', () => {
  const token = 'test-token-1f0c9a7e';
  const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

  async function everything(val: object, commands: string[][]): Promise<{ exits: number[]; text: string }> {
    const service = await scriptedService([], ({ path }) =>
      path === '/v1/me'
        ? { body: { id: token } }
        : path.startsWith('/v1/users/')
          ? { status: 404 }
          : { body: val },
    );
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    put(cwd, { 'vals.json': '{"vals":{}}', 'a.ts': 'a' });
    const exits: number[] = [];
    for (const args of commands) {
      exits.push((await vals(args, { cwd, home, env: service.env, here: true })).exit ?? -1);
    }
    const files = [cwd, home].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    return { exits, text: files.join('\n') };
  }

  it('in a name or an id: no file contains the token', async () => {
    const asName = [
      ['me'],
      ['val', 'get', id],
      ['pull', id],
      ['pull', id, '--file', 'b.ts'],
      ['push', 'a.ts'],
    ];
    const { exits, text } = await everything({ id, name: token, code: 'x', version: 1 }, asName);
    expect(exits).toEqual([0, 0, 11, 11, 0]);
    expect(text).not.toContain(token);
    const asId = await everything({ id: token, name: 'a', code: 'x', version: 1 }, [
      ['val', 'get', id],
      ['push'],
    ]);
    expect(asId.exits).toEqual([0, 0]);
    expect(asId.text).not.toContain(token);
  });

  it.each([
    ['its version', { version: token }],
    ['a part of its version', { version: { number: [token] } }],
    ['a time', { version: 1, updatedAt: token }],
    ['a time, with invisible characters', { version: 1, updatedAt: [...token].join('\u200b') }],
  ])('in %s: no file contains the token', async (_what, fields) => {
    const { exits, text } = await everything({ id, name: 'a', code: 'x', ...fields }, [
      ['pull', id, '--file', 'b.ts'],
      ['push'],
      ['pull', id, '--force'],
    ]);
    expect(exits).toEqual([11, 0, 11]);
    expect(text.replaceAll('\u200b', '')).not.toContain(token);
  });

  it('in the list, as the name of a val that was pulled before: vals.json does not contain the token', async () => {
    let nameInList = 'b';
    const val = { id, name: 'b', code: 'x', version: 1, updatedAt: '2026-01-01' };
    const service = await scriptedService([], ({ path }) => {
      if (path === '/v1/me') return { body: { id: 'me' } };
      return { body: path.startsWith('/v1/users/') ? [{ ...val, name: nameInList }] : val };
    });
    const cwd = temporaryFolder();
    put(cwd, { 'vals.json': '{"vals":{}}' });
    const pullAll = () => vals(['pull', '--all'], { cwd, env: service.env, here: true });
    expect(await pullAll()).toMatchObject({ exit: 0 });
    nameInList = token;
    expect(await pullAll()).toMatchObject({ exit: 11 });
    expect(readFileSync(join(cwd, 'vals.json'), 'utf8')).not.toContain(token);
  });

  it('in the long name of a listed val: no part of the token is shown', async () => {
    const listed = [id, `${id}2`].map((each) => ({
      id: each,
      name: `${'x'.repeat(45)}${token}`,
      version: 1,
    }));
    const service = await scriptedService([], ({ path }) => {
      if (path === '/v1/me') return { body: { id: 'me', username: 'me' } };
      return path.startsWith(`/v1/vals/${id}`)
        ? { status: 400 }
        : { body: { data: listed, links: { next: null } } };
    });
    const cwd = temporaryFolder();
    put(cwd, { 'vals.json': '{"vals":{}}' });
    const { stdout, stderr } = await vals(['pull', '--all'], { cwd, env: service.env, here: true });
    expect(stderr).toContain('xx***');
    expect(stdout + stderr).not.toContain(token.slice(0, 10));
  });

  it('in the code: the file contains the token, with a warning', async () => {
    const service = await scriptedService([], () => ({
      body: { id, name: 'b', code: `// ${token}`, version: 1 },
    }));
    const cwd = temporaryFolder();
    put(cwd, { 'vals.json': '{"vals":{}}' });
    const { stderr } = await vals(['pull', id], { cwd, env: service.env, here: true });
    expect(stderr).toContain('b.ts holds your token');
  });
});

it('an id that another file has is not given to a second file', async () => {
  const service = await scriptedService([], ({ body }) => ({ body: { id: 'one', code: body, version: 3 } }));
  const cwd = temporaryFolder();
  put(cwd, { 'vals.json': manifest(service.baseUrl, ['one.ts']), 'two.ts': 'two' });
  const { exit, stderr } = await vals(['push', 'two.ts'], { cwd, env: service.env, here: true });
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: expect.stringContaining(
      'two.ts did not get the id one in vals.json, because the file one.ts already has that id.',
    ),
  });
  expect(JSON.parse(readFileSync(join(cwd, 'vals.json'), 'utf8')).vals['two.ts']).toEqual({ name: 'two' });
  expect(await vals(['push', '--dry-run'], { cwd, env: service.env, here: true })).toMatchObject({ exit: 0 });
});

describe('a vals.json with a hundred thousand accents is read quickly', () => {
  // Sorting the accents took more than the 40 seconds after which the program is killed.
  const accents = `a${'\u0301'.repeat(120_000)}${'\u0316'.repeat(120_000)}`;

  it.each([
    ['path', { [`${accents}.ts`]: { name: 'a' } }, 'whose path is longer than 200 bytes', 10],
    ['name', { 'a.ts': { name: accents } }, 'The service refused the request', 6],
  ])('in a %s', async (_place, entries, message, exit) => {
    const service = await scriptedService([], ({ method }) =>
      method === 'GET' ? { body: { data: [], links: { next: null } } } : { status: 400 },
    );
    const cwd = temporaryFolder();
    put(cwd, { 'vals.json': JSON.stringify({ vals: entries }), 'a.ts': 'a' });
    const result = await vals(['push'], { cwd, env: service.env });
    expect(result.stderr.slice(0, 200) + result.stderr.slice(-400)).toContain(message);
    expect(result.exit).toBe(exit);
  });
});
