import { execa } from 'execa';
import { expect, it } from 'vitest';
import { isLong } from '../support/cases.ts';
import { has } from '../support/features.ts';
import { environment, folderOfVals, program, runProcess as run, valNames } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { startStrict } from '../support/strict-service.ts';

const isKnown = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag.replace(/=.*/, ''));

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

it.each(isLong ? harmless : [harmless.join(' ')])(
  'with the Node flags %s, a command works',
  async (flags) => {
    const service = await scriptedService([], () => ({ body: { id: 'u1', username: 'ada' } }));
    const env = { NODE_OPTIONS: flags };
    expect(await run(['me', '--json'], { env: { ...service.env, ...env } })).toMatchObject(works);
    if (has('service')) expect(await run(['me', '--local', '--json'], { env })).toMatchObject(works);
  },
);

it.skipIf(process.platform === 'win32')('a push of 40 files works with 110 open files', async () => {
  const script = 'ulimit -n 110 && exec "$0" "$@"';
  const words = ['-c', script, process.execPath, program, 'push', '.', '--json'];
  const { env } = await startStrict();
  for (const where of has('service') ? [env, { VALS_LOCAL: '1' }] : [env]) {
    const cwd = folderOfVals(valNames(40));
    const options = { cwd, env: environment(cwd, where), extendEnv: false, reject: false };
    expect(await execa('bash', words, options)).toMatchObject({ exitCode: 0, stderr: '' });
  }
});
