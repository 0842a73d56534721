import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { isLong } from '../support/cases.ts';
import { quickLooks } from '../support/clocks.ts';
import { install } from '../support/copy.ts';
import { inProcess } from '../support/in-process.ts';
import { environment, makeNamedPipe, program, run, temporaryFolder } from '../support/program.ts';
import { scriptedService, testToken } from '../support/scripted-service.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const accepted = { body: { id: 'u1', username: 'ada' } };

describe('the cache of bytecode', () => {
  type Installed = Awaited<ReturnType<typeof install>>;
  const keeping = ['me', '--local', '--json'];
  const dist = ({ folder }: Installed) => join(folder, 'dist');
  const compiledFile = async (installed: Installed) =>
    join(dist(installed), (await installed.compiled())[0]?.name ?? '');

  it('can be changed only by its owner, whatever the umask allows', async () => {
    const installed = await install();
    const script = join(installed.folder, 'bin/vals.js');
    await execa('sh', ['-c', 'umask 000; "$0" "$@"', process.execPath, script, ...keeping], {
      env: environment(join(installed.folder, 'home')),
      extendEnv: false,
    });
    expect(statSync(await compiledFile(installed)).mode & 0o022).toBe(0);
  });

  async function withForeignCode(): Promise<Installed & { foreign: string; isRun(): Promise<boolean> }> {
    const installed = await install();
    const source = join(dist(installed), 'main.js');
    const own = readFileSync(source, 'latin1');
    const other = own.replaceAll('Push, run and inspect', 'PUSH, RUN AND INSPECT');
    expect(other).not.toBe(own);
    writeFileSync(source, other, 'latin1');
    await installed.vals(keeping);
    writeFileSync(source, own, 'latin1');
    const isRun = () => isForeign(installed);
    return { ...installed, foreign: await compiledFile(installed), isRun };
  }

  const isForeign = async ({ vals }: Pick<Installed, 'vals'>) =>
    (await vals(['--local', '--help', '--no-color'])).includes('PUSH, RUN');

  const unsafe: { what: string; isRare?: boolean; asRoot?: boolean; change(file: string): void }[] = [
    { what: 'that others may write to', isRare: true, change: (file) => chmodSync(file, 0o646) },
    { what: 'that its group may write to', change: (file) => chmodSync(file, 0o664) },
    { what: 'of another user', asRoot: true, change: (file) => chownSync(file, nobody, nobody) },
    {
      what: 'behind a link',
      change: (file) => {
        renameSync(file, join(dirname(file), 'elsewhere'));
        symlinkSync('elsewhere', file);
      },
    },
    { what: 'in a folder that others may write to', change: (file) => chmodSync(dirname(file), 0o757) },
    {
      what: 'in a folder that its group may write to',
      isRare: true,
      change: (file) => chmodSync(dirname(file), 0o775),
    },
    {
      what: 'in a folder for all, with the sticky bit',
      isRare: true,
      change: (file) => chmodSync(dirname(file), 0o1777),
    },
    {
      what: 'in a folder of another user',
      asRoot: true,
      isRare: true,
      change: (file) => chownSync(dirname(file), nobody, nobody),
    },
    {
      what: 'that is a named pipe',
      change: (file) => {
        rmSync(file);
        makeNamedPipe(file);
      },
    },
  ];
  it('that is not safe is not run', async () => {
    const { folder, foreign, isRun } = await withForeignCode();
    expect(await isRun(), 'safe as it is, it is run').toBe(true);
    for (const { what, asRoot, isRare, change } of unsafe) {
      if ((isRare && !isLong) || (asRoot && !isRoot)) continue;
      const copy = await install(folder);
      change(join(copy.folder, relative(folder, foreign)));
      expect(await isForeign(copy), what).toBe(false);
    }
  });

  it.each(isLong ? [0o757, 0o775, 0o1777] : [0o775])(
    'is not kept in a folder with the mode %o',
    async (mode) => {
      const installed = await install();
      chmodSync(dist(installed), mode);
      await installed.vals(keeping);
      expect(await installed.compiled()).toEqual([]);
    },
  );

  it.runIf(isRoot)("of another user's own program is neither read nor written by root", async () => {
    const installed = await install();
    await execa('chown', ['-R', `${nobody}:${nobody}`, installed.folder]);
    await execa(
      'setpriv',
      [
        `--reuid=${nobody}`,
        `--regid=${nobody}`,
        '--clear-groups',
        process.execPath,
        join(installed.folder, 'bin/vals.js'),
        ...keeping,
      ],
      { env: environment(join(installed.folder, 'home')), extendEnv: false },
    );
    const file = await compiledFile(installed);
    expect(statSync(file).uid).toBe(nobody);
    const theirs = statSync(file).mtimeMs;
    await installed.vals(keeping, { VALS_DATA_DIR: temporaryFolder() });
    expect(
      readdirSync(dist(installed)).filter((name) => statSync(join(dist(installed), name)).uid !== nobody),
    ).toEqual([]);
    expect(statSync(file).mtimeMs).toBe(theirs);
  });

  it('has a file for each set of Node flags, and no run replaces the file of another', async () => {
    const installed = await install();
    const flags = { NODE_OPTIONS: '--max-old-space-size=300' };
    for (const env of [{}, flags]) await installed.vals(keeping, env);
    const both = await installed.compiled();
    expect(both).toHaveLength(2);
    for (const env of [{}, flags]) await installed.vals(keeping, env);
    expect(await installed.compiled()).toEqual(both);
  });
});

describe('a home that is empty or relative', () => {
  const homes: Record<string, string | undefined>[] = [
    { HOME: '' },
    { HOME: '.' },
    { HOME: 'home' },
    { HOME: '', XDG_CONFIG_HOME: '' },
    { HOME: '', XDG_CONFIG_HOME: '.config' },
    { HOME: '/nonexistent', XDG_CONFIG_HOME: '.config', XDG_DATA_HOME: '.local/share' },
  ];

  async function project() {
    const service = await scriptedService([]);
    const cwd = temporaryFolder();
    for (const folder of ['.config/vals', 'home/.config/vals', 'vals']) {
      mkdirSync(join(cwd, folder), { recursive: true });
      const config = { baseUrl: service.baseUrl, tokens: { [service.baseUrl]: 'planted-token' } };
      writeFileSync(join(cwd, folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
    }
    return { cwd, service };
  }

  it.each(homes)('takes no settings from a project, and keeps nothing in it: %j', async (env) => {
    const { cwd, service: planted } = await project();
    const before = readdirSync(cwd, { recursive: true }).sort();
    const result = await run(['me', '--json'], { cwd, env: { ...env, VALS_TOKEN: testToken } });
    expect(result).toMatchObject({ exit: 2, error: { message: 'No service is chosen.' } });
    expect(planted.requests).toEqual([]);
    const { exit, stdout } = await run(['config', '--json'], { cwd, env });
    const rows = JSON.parse(stdout) as { setting: string; value: unknown }[];
    const shown = (name: string) => rows.find(({ setting }) => setting === name)?.value;
    expect({ exit, baseUrl: shown('base-url') }).toEqual({ exit: 0, baseUrl: null });
    for (const name of ['config-file', 'data-file']) {
      expect(shown(name) ?? '/nonexistent').toMatch(/^\/nonexistent/);
    }

    const isAbsent = env.HOME === '/nonexistent';
    const writing = { cwd, env: isAbsent ? { ...env, HOME: '/proc/nonexistent' } : env };
    const service = await scriptedService([], () => accepted);
    const signIn = await run(['login', '--base-url', service.baseUrl, '--with-token', '--json'], {
      ...writing,
      input: 'token-of-mine',
    });
    const local = await run(['me', '--local', '--json'], writing);
    for (const refused of [signIn, local])
      expect(refused).toMatchObject({ exit: 10, error: { kind: 'local' } });
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(before);
    if (isAbsent) return;
    expect(signIn.error?.hint).toContain('VALS_CONFIG_DIR');
    expect(local.error?.hint).toContain('VALS_DATA_DIR');
    expect(service.requests, 'a token that cannot be stored is not tried').toEqual([]);
  });

  it.runIf(isRoot)('of a user whom the system does not know gives no config', async () => {
    const { cwd } = await project();
    chmodSync(cwd, 0o755);
    const { exitCode, stdout } = await execa(
      'setpriv',
      ['--reuid=54321', '--regid=54321', '--clear-groups', process.execPath, program, 'config', '--json'],
      { cwd, env: { PATH: process.env.PATH ?? '' }, extendEnv: false, reject: false },
    );
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('"config-file","value":null'),
    });
  });
});

describe('a config that is no plain file of this user, or too large', () => {
  const kinds: { what: string; problem: string; make(file: string): void }[] = [
    { what: 'a named pipe', problem: 'is a named pipe, not a regular file.', make: makeNamedPipe },
    {
      what: 'a folder',
      problem: 'is a folder, not a regular file.',
      make: (file) => mkdirSync(file, { mode: 0o755 }),
    },
    {
      what: 'a link to a named pipe',
      problem: 'is a named pipe, not a regular file.',
      make(file) {
        makeNamedPipe(`${file}.pipe`);
        chmodSync(`${file}.pipe`, 0o644);
        symlinkSync(`${file}.pipe`, file);
      },
    },
    {
      what: 'larger than 64 MB',
      problem: 'is larger than 64 MB.',
      make(file) {
        writeFileSync(file, '{}', { mode: 0o600 });
        truncateSync(file, 65 * 1_048_576);
      },
    },
  ];
  it.runIf(isRoot)('of another user is not used, even by root', async () => {
    const home = temporaryFolder();
    const file = join(home, '.config/vals/config.json');
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const service = await scriptedService([]);
    writeFileSync(file, JSON.stringify({ baseUrl: service.baseUrl, tokens: {} }), { mode: 0o600 });
    chownSync(file, nobody, nobody);
    const login = ['login', '--base-url', service.baseUrl, '--with-token'];
    for (const args of [['me'], ['use'], ['logout'], login]) {
      const { exit, error } = await run([...args, '--json'], { home, input: 'a-token-of-mine' });
      expect({ args, exit, message: error?.message }).toEqual({
        args,
        exit: 10,
        message: `The config file ${file} belongs to another user, so vals does not use it.`,
      });
    }
    expect(readFileSync(file, 'utf8')).not.toContain('a-token-of-mine');
    expect(service.requests, 'a token that cannot be stored is not tried').toEqual([]);
  });

  it.each([0o644, 0o660])('that others can read (mode %o) is made private, with a warning', async (mode) => {
    const home = temporaryFolder();
    const file = join(home, '.config/vals/config.json');
    mkdirSync(dirname(file), { recursive: true });
    const service = await scriptedService([], () => accepted);
    writeFileSync(file, JSON.stringify({ baseUrl: service.baseUrl, tokens: {} }));
    chmodSync(file, mode);
    const me = () => run(['me', '--json'], { home, env: { VALS_TOKEN: testToken } });
    const { exit, stderr } = await me();
    expect({ exit, mode: statSync(file).mode & 0o777 }).toEqual({ exit: 0, mode: 0o600 });
    expect(stderr).toContain(`Other users had access to ${file}. vals removed their access.`);
    expect(await me()).toMatchObject({ exit: 0, stderr: '' });
  });

  it.each(kinds)('is refused with an error: $what', async ({ problem, make }) => {
    const home = temporaryFolder();
    const file = join(home, '.config/vals/config.json');
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    make(file);
    const before = statSync(file);
    const login = ['login', '--with-token', '--base-url', 'http://127.0.0.1:1'];
    for (const args of [['me'], ['config'], ['logout'], login]) {
      const { exit, stdout, error } = await run([...args, '--json'], { home, input: 'token-of-mine' });
      expect({ args, exit, stdout }).toEqual({ args, exit: 10, stdout: '' });
      expect(error).toMatchObject({ kind: 'local', message: expect.stringContaining(problem) });
      expect(`${error?.message} ${error?.hint}`).toContain(file);
    }
    expect(statSync(file)).toMatchObject({ mode: before.mode, mtimeMs: before.mtimeMs });
  });
});

const lockers = [
  {
    what: 'login',
    async prepare() {
      const home = temporaryFolder();
      const folder = join(home, '.config/vals');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const service = await scriptedService([], () => accepted);
      const args = ['login', '--base-url', service.baseUrl, '--with-token'];
      return { home, args, lock: join(folder, 'config.json.lock'), input: 'token-of-mine' };
    },
  },
  {
    what: 'init',
    async prepare() {
      const home = temporaryFolder();
      await run(['init'], { home });
      const workspaces = join(home, '.local/share/vals/workspaces');
      const lock = join(workspaces, readdirSync(workspaces)[0] ?? '', 'lock');
      return { home, args: ['init'], lock, input: '' };
    },
  },
];

describe.each(lockers)('the lock of $what', ({ prepare }) => {
  const held = `${hostname()} ${process.pid} somebody`;

  it('with a time in the future counts as old', async () => {
    const { lock, args, home, input } = await prepare();
    writeFileSync(lock, held);
    const future = Date.now() / 1_000 + 1_000_000;
    utimesSync(lock, future, future);
    expect(await run([...args, '--timeout', '5'], { home, input })).toMatchObject({ exit: 0, stderr: '' });
  });

  it('is waited for with a warning, until Ctrl-C', async () => {
    const { lock, args, home, input } = await prepare();
    writeFileSync(lock, held);
    const interruption = new AbortController();
    const { exit, stderr } = await inProcess(args, {
      env: environment(home),
      cwd: home,
      input,
      signal: interruption.signal,
      heard: ({ stderr }) => stderr.includes('Waiting') && interruption.abort(new InterruptedError(130)),
    });
    expect(exit).toBe(130);
    expect(stderr).toContain(lock);
    expect(readFileSync(lock, 'utf8')).toBe(held);
  });

  it('is waited for until the deadline', async () => {
    const { lock, args, home, input } = await prepare();
    writeFileSync(lock, held);
    const result = await run([...args, '--json'], { home, input, clock: quickLooks() });
    expect(result).toMatchObject({ exit: 10, error: { kind: 'local' } });
    expect(result.error?.message).toContain(lock);
    expect(readFileSync(lock, 'utf8')).toBe(held);
  });
});
