import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { chanceOf, isLong } from '../../support/cases.ts';
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

it('a process that is killed at any moment leaves a whole config, and the next sign-in works', async () => {
  const seed = 4_711;
  const victims = isLong ? 400 : 3;
  const chance = chanceOf(seed);
  const [first, last] = [await origin(), await origin()];
  const { stored, env } = newConfig();
  const begun = performance.now();
  expect((await startSignIn(first, 'token-first', env)).exitCode).toBe(0);
  const tookMs = performance.now() - begun;
  // The first one dies before it has begun: on a busy machine the others may all end before their moment.
  const moments = Array.from({ length: victims }, () => chance.between(10, Math.round(1.2 * tookMs)));
  moments[0] = 10;
  const acknowledged: string[] = ['token-first'];
  let killed = 0;
  for (const [index, moment] of moments.entries()) {
    const process = startSignIn(first, `token-${index}`, env);
    const timer = setTimeout(() => process.kill('SIGKILL'), moment);
    const { exitCode } = await process;
    clearTimeout(timer);
    if (exitCode === 0) acknowledged.push(`token-${index}`);
    else killed += 1;
    const { tokens } = stored();
    expect([acknowledged.at(-1), `token-${index}`], `seed ${seed}`).toContain(tokens[first]);
    if (tokens[first] === `token-${index}`) acknowledged.push(`token-${index}`);
  }
  expect(killed).toBeGreaterThan(0);
  expect((await startSignIn(last, 'token-last', env)).exitCode).toBe(0);
  expect(stored().tokens).toEqual({ [first]: acknowledged.at(-1), [last]: 'token-last' });
});
