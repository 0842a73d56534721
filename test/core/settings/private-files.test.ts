import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/features.ts';
import { makeNamedPipe, program, run, temporaryFolder } from '../../support/program.ts';
import { scriptedService, testToken } from '../../support/scripted-service.ts';
import { accepted, configFile, forAll, storedText, writeConfig } from './support.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

const homes: Record<string, string | undefined>[] = [
  { HOME: '', XDG_CONFIG_HOME: '' },
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

it.each(homes)(
  'a home that is empty or relative takes no settings from a project, and keeps nothing in it: %j',
  async (env) => {
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
    const writing = { cwd, env: isAbsent ? { ...env, HOME: '/sys' } : env };
    const service = await scriptedService([], forAll(accepted));
    const signIn = await run(['login', '--base-url', service.baseUrl, '--with-token', '--json'], {
      ...writing,
      input: 'token-of-mine',
    });
    expect(signIn).toMatchObject({ exit: 10, error: { kind: 'local' } });
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(before);
    if (isAbsent) return;
    expect(signIn.error?.hint).toContain('VALS_CONFIG_DIR');
    expect(service.requests, 'a token that cannot be stored is not tried').toEqual([]);
  },
);

// Root may become a user that the system does not know. Such a user may not be able to read this program.
it.runIf(isRoot)('a user whom the system does not know has no home, which is no defect', async () => {
  const folder = temporaryFolder();
  chownSync(folder, 54_321, 54_321);
  const options = {
    ...{ uid: 54_321, gid: 54_321, cwd: '/', input: '', extendEnv: false, reject: false },
    env: {
      PATH: process.env.PATH,
      VALS_CONFIG_DIR: join(folder, 'config'),
      VALS_DATA_DIR: join(folder, 'data'),
    },
  };
  const vals = (...args: string[]) => execa(process.execPath, [program, ...args], options);
  if ((await vals('--version')).failed) return;
  if (has('agents')) expect(await vals('mcp')).toMatchObject({ exitCode: 0, stderr: '' });
  if (has('service')) expect(await vals('ls', '--local')).toMatchObject({ exitCode: 0, stdout: '' });
  const logout = await vals('logout', '--base-url', 'http://127.0.0.1:1');
  expect(logout.stderr).toContain('The config file could not be written: this user has no home directory.');
  expect(logout.exitCode).toBe(10);
});

describe('a config file', () => {
  it.runIf(isRoot)('of another user is not used, even by root', async () => {
    const home = temporaryFolder();
    const service = await scriptedService([]);
    const file = writeConfig(home, JSON.stringify({ baseUrl: service.baseUrl, tokens: {} }));
    chownSync(file, nobody, nobody);
    const message = `The config file ${file} belongs to another user, so vals does not use it.`;
    const login = ['login', '--base-url', service.baseUrl, '--with-token'];
    for (const args of [['me'], ['use'], ['logout'], login]) {
      const result = await run([...args, '--json'], { home, input: 'a-token-of-mine' });
      expect(result, args[0]).toMatchObject({ exit: 10, error: { message } });
    }
    expect(storedText(home)).not.toContain('a-token-of-mine');
    expect(service.requests, 'a token that cannot be stored is not tried').toEqual([]);
  });

  it('that others can read is made private, with a warning', async () => {
    const home = temporaryFolder();
    const { baseUrl } = await scriptedService([], forAll(accepted));
    const file = writeConfig(home, JSON.stringify({ baseUrl, tokens: {} }));
    chmodSync(file, 0o644);
    const me = () => run(['me', '--json'], { home, env: { VALS_TOKEN: testToken } });
    const { exit, stderr } = await me();
    expect({ exit, mode: statSync(file).mode & 0o777 }).toEqual({ exit: 0, mode: 0o600 });
    expect(stderr).toContain(`Other users had access to ${file}. vals removed their access.`);
    expect(await me()).toMatchObject({ exit: 0, stderr: '' });
  });

  it('is refused with an error if it is a named pipe', async () => {
    const home = temporaryFolder();
    const file = configFile(home);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makeNamedPipe(file);
    const before = statSync(file);
    const login = ['login', '--with-token', '--base-url', 'http://127.0.0.1:1'];
    for (const args of [['me'], ['logout'], login]) {
      const { exit, stdout, error } = await run([...args, '--json'], { home, input: 'token-of-mine' });
      expect({ args, exit, stdout }).toEqual({ args, exit: 10, stdout: '' });
      expect(error).toMatchObject({
        kind: 'local',
        message: expect.stringContaining('is a named pipe, not a regular file.'),
      });
      expect(`${error?.message} ${error?.hint}`).toContain(file);
    }
    expect(statSync(file)).toMatchObject({ mode: before.mode, mtimeMs: before.mtimeMs });
  });
});
