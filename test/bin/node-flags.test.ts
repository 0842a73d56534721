import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/cases.ts';
import {
  environment,
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

const cases: { flags: string; remote: object; local: object }[] = [
  { flags: '--jitless', remote: needs('WebAssembly', '--jitless'), local: needs('WebAssembly', '--jitless') },
  { flags: '--no-addons', remote: works, local: needs('native code', '--no-addons') },
  ...(isLong ? harmless : [harmless.join(' ')]).map((flags) => ({ flags, remote: works, local: works })),
];

describe.each(cases.filter(({ flags }) => flags.split(' ').every(isKnown)))(
  'with the Node flags $flags',
  (each) => {
    const env = { NODE_OPTIONS: each.flags };

    it('a command with a service works, or names the flag', async () => {
      const service = await scriptedService([], () => ({ body: { id: 'u1', username: 'ada' } }));
      expect(await run(['me', '--json'], { env: { ...service.env, ...env } })).toMatchObject(each.remote);
    });

    it('a command with the embedded service works, or names the flag', async () => {
      const home = temporaryFolder();
      expect(await run(['me', '--local', '--json'], { home, env })).toMatchObject(each.local);
    });
  },
);

describe('with the permission model of Node', () => {
  const permission = ['--permission', '--experimental-permission'].find(isKnown);
  const withFlags = (flags: string) => {
    const home = folderOfVals(valNames(1));
    return run(['run', `${valNames(1)[0]}.ts`], { home, cwd: home, env: { NODE_OPTIONS: flags } });
  };
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
      expect(await withFlags('--permission')).toMatchObject({
        exit: 2,
        stderr: `error: Node is not allowed to read the files of vals.\n${hint}`,
      });
    },
  );
});

describe('without memory for WebAssembly', () => {
  const vals = (words: readonly string[]) =>
    execa(process.execPath, ['--wasm-max-mem-pages=0', program, ...words, '--local', '--json'], {
      env: environment(temporaryFolder()),
      extendEnv: false,
      reject: false,
    });

  it('a request fails, and the error names the limit to raise', async () => {
    const { exitCode, stderr } = await vals(['me']);
    const { exit, error } = needs('WebAssembly', 'ulimit -v');
    expect({ exit: exitCode, ...JSON.parse(stderr) }).toMatchObject({ exit, error });
  });

  it('a command without a request works', async () => {
    expect(await vals(['config'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe.skipIf(process.platform === 'win32')('if a process may open few files', () => {
  const limited = (before: string, ...args: string[]) => {
    const home = folderOfVals(valNames(40));
    const words = ['-c', `${before} && exec "$0" "$@"`, process.execPath, program, ...args];
    return execa('bash', words, { cwd: home, env: environment(home), extendEnv: false, reject: false });
  };
  const push = (limit: number) => limited(`ulimit -n ${limit}`, 'push', '.', '--local', '--json');

  it('a push of 40 files works with a limit of 110', async () => {
    expect(await push(110)).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
