import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/cases.ts';
import {
  environment,
  folderOf,
  folderOfVals,
  program,
  runProcess as run,
  temporaryFolder,
  valNames,
} from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';

const isKnown = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag.replace(/=.*/, ''));

const needs = (what: string, flag: string) => ({
  exit: 2,
  error: { kind: 'usage', message: expect.stringContaining(what), hint: expect.stringContaining(flag) },
});
const works = { exit: 0, stderr: '' };

const harmless = [
  '--experimental-default-type=module',
  '--disable-proto=throw',
  '--disallow-code-generation-from-strings',
  '--throw-deprecation',
  '--pending-deprecation',
  '--no-experimental-fetch',
  '--no-experimental-global-webcrypto',
].filter(isKnown);

it.each<[flags: string, remote: object, local: object]>([
  ['--jitless', needs('WebAssembly', '--jitless'), needs('WebAssembly', '--jitless')],
  ['--no-addons', works, needs('native code', '--no-addons')],
  ...(isLong ? harmless : [harmless.join(' ')]).map((flags): [string, object, object] => [
    flags,
    works,
    works,
  ]),
])('with the Node flags %s, a command works or names the flag', async (flags, remote, local) => {
  const service = await scriptedService([], () => ({ body: { id: 'u1', username: 'ada' } }));
  const env = { NODE_OPTIONS: flags };
  expect(await run(['me', '--json'], { env: { ...service.env, ...env } })).toMatchObject(remote);
  expect(await run(['me', '--local', '--json'], { env })).toMatchObject(local);
});

describe('with the permission model of Node', () => {
  const permission = ['--permission', '--experimental-permission'].find(isKnown);
  const withFlags = (flags: string) =>
    run(['run', 'a.ts'], { cwd: folderOf({ 'a.ts': '' }), env: { NODE_OPTIONS: flags } });
  const hint = 'hint: Remove --permission from NODE_OPTIONS.\n';

  it('a command that needs more than is allowed names the flag', async () => {
    const { exit, stderr } = await withFlags(`${permission} --allow-fs-read=*`);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^error: Node is not allowed to do what the command needs: Access .*\n/m);
    expect(stderr).toContain(hint);
  });

  // Node 20 does not even read the file of the executable.
  it.skipIf(permission !== '--permission')(
    'vals names the flag if it cannot read its own files',
    async () => {
      const stderr = `error: Node is not allowed to read the files of vals.\n${hint}`;
      expect(await withFlags('--permission')).toMatchObject({ exit: 2, stderr });
    },
  );
});

it('without memory for WebAssembly, only a request fails, and the error names the limit to raise', async () => {
  const vals = (command: string) =>
    execa(process.execPath, ['--wasm-max-mem-pages=0', program, command, '--local', '--json'], {
      env: environment(temporaryFolder()),
      extendEnv: false,
      reject: false,
    });
  const { exitCode, stderr } = await vals('me');
  expect({ exit: exitCode, ...JSON.parse(stderr) }).toMatchObject(needs('WebAssembly', 'ulimit -v'));
  expect(await vals('config')).toMatchObject({ exitCode: 0, stderr: '' });
});

it.skipIf(process.platform === 'win32')('a push of 40 files works with 110 open files', async () => {
  const cwd = folderOfVals(valNames(40));
  const script = 'ulimit -n 110 && exec "$0" "$@"';
  const words = ['-c', script, process.execPath, program, 'push', '.', '--local', '--json'];
  const result = await execa('bash', words, { cwd, env: environment(cwd), extendEnv: false, reject: false });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
});
