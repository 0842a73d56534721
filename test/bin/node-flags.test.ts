// Flags that NODE_OPTIONS gives to every program of Node: vals works under them, or says which one it cannot.
import { describe, expect, it } from 'vitest';
import { runProcess as run, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';

/** Each Node has its own flags. */
const isKnown = (flags: string): boolean =>
  flags.split(' ').every((flag) => process.allowedNodeEnvironmentFlags.has(flag.replace(/=.*/, '')));

const needs = (what: string, flag: string) => ({
  exit: 2,
  error: { kind: 'usage', message: expect.stringContaining(what), hint: expect.stringContaining(flag) },
});
const works = { exit: 0, error: undefined };

const cases: { flags: string; remote: object; local: object }[] = [
  { flags: '--jitless', remote: needs('WebAssembly', '--jitless'), local: needs('WebAssembly', '--jitless') },
  { flags: '--no-addons', remote: works, local: needs('native code', '--no-addons') },
  {
    flags: '--no-experimental-fetch',
    remote: works,
    local: needs('fetch', '--no-experimental-fetch'),
  },
  { flags: '--max-http-header-size=10', remote: works, local: works },
  { flags: '--insecure-http-parser', remote: { ...works, stderr: '' }, local: { ...works, stderr: '' } },
  { flags: '--experimental-default-type=module', remote: works, local: works },
  { flags: '--disable-proto=throw', remote: works, local: works },
  { flags: '--disallow-code-generation-from-strings', remote: works, local: works },
  { flags: '--throw-deprecation --pending-deprecation', remote: works, local: works },
];

describe.each(cases.filter(({ flags }) => isKnown(flags)))('$flags', ({ flags, remote, local }) => {
  const env = { NODE_OPTIONS: flags };

  it('and what asks nothing of a service', async () => {
    expect(await run(['config', '--json'], { env })).toMatchObject({ exit: 0 });
  });

  it('and a service', async () => {
    const service = await scriptedService([], () => ({ body: { id: 'u1', username: 'ada' } }));
    expect(await run(['me', '--json'], { env: { ...service.env, ...env } })).toMatchObject(remote);
  });

  it('and the embedded service', async () => {
    const home = temporaryFolder();
    expect(await run(['me', '--local', '--json'], { home, env })).toMatchObject(local);
  });
});
