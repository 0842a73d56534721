import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { isLong } from '../../support/cases.ts';
import { environment, program, temporaryFolder } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { accepted, forAll } from './support.ts';

interface Config {
  baseUrl: string;
  tokens: Record<string, string>;
}

function newConfig() {
  const folder = join(temporaryFolder(), 'config');
  const stored = (): Config => {
    expect(readdirSync(folder)).toContain('config.json');
    expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
  };
  return { folder, stored, env: environment(temporaryFolder(), { VALS_CONFIG_DIR: folder }) };
}

const origin = async () => (await scriptedService([], forAll(accepted))).baseUrl;

const startSignIn = (origin: string, token: string, env: Record<string, string>) =>
  execa(process.execPath, [program, 'login', '--base-url', `${origin}/base`, '--with-token', '--json'], {
    env,
    extendEnv: false,
    input: `${token}\n`,
    reject: false,
  });

it('sign-ins in many processes at once leave a whole config', async () => {
  const origins = await Promise.all(Array.from({ length: isLong ? 20 : 3 }, origin));
  const { folder, stored, env } = newConfig();
  const ended = await Promise.all(origins.map((origin) => startSignIn(origin, `token-${origin}`, env)));
  expect(ended.map(({ exitCode }) => exitCode)).toEqual(origins.map(() => 0));
  const { tokens, baseUrl } = stored();
  expect(readdirSync(folder)).toEqual(['config.json']);
  expect(Object.keys(tokens).length).toBeGreaterThan(0);
  expect(origins).toEqual(expect.arrayContaining(Object.keys(tokens)));
  expect(tokens[baseUrl.replace('/base', '')]).toBeDefined();
});

it('a process that is killed before any of its steps leaves a whole config, and the next sign-in works', async () => {
  const [first, last] = [await origin(), await origin()];
  const { stored, env } = newConfig();
  expect((await startSignIn(first, 'token-first', env)).exitCode).toBe(0);
  const hook = { NODE_OPTIONS: `--require ${resolve('test/core/settings/killed.cjs')}` };
  let kept: string | undefined = 'token-first';
  let isKilled = true;
  let steps = 0;
  for (; isKilled; steps++) {
    const token = `token-${steps}`;
    const ended = await startSignIn(first, token, { ...env, ...hook, KILLED_BEFORE: `${steps}` });
    isKilled = ended.signal === 'SIGKILL';
    if (!isKilled) expect(ended.exitCode).toBe(0);
    const { tokens } = stored();
    expect(isKilled ? [kept, token] : [token], `step ${steps}`).toContain(tokens[first]);
    kept = tokens[first];
  }
  expect(steps).toBeGreaterThan(3);
  expect((await startSignIn(last, 'token-last', env)).exitCode).toBe(0);
  expect(stored().tokens).toEqual({ [first]: kept, [last]: 'token-last' });
});
