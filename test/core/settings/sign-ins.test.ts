import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { chanceOf, isLong } from '../../support/cases.ts';
import { listen } from '../../support/listen.ts';
import { environment, program, temporaryFolder } from '../../support/program.ts';

async function services(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () =>
    createServer((_request, response) => response.end('{"id":"1","username":"ada"}')),
  );
  return Promise.all(servers.map(async (server) => `http://127.0.0.1:${await listen(server)}`));
}

interface Config {
  baseUrl: string;
  tokens: Record<string, string>;
}

function readStored(folder: string): Config {
  expect(readdirSync(folder)).toEqual(['config.json']);
  expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Config;
}

function newConfig() {
  const home = temporaryFolder();
  const folder = join(home, 'config');
  const file = join(folder, 'config.json');
  return { home, folder, file, lock: `${file}.lock`, env: environment(home, { VALS_CONFIG_DIR: folder }) };
}

function leaveOld(lock: string): void {
  mkdirSync(dirname(lock), { mode: 0o700, recursive: true });
  writeFileSync(lock, 'somebody who died');
  const longAgo = Date.now() / 1_000 - 60;
  utimesSync(lock, longAgo, longAgo);
}

const startSignIn = (origin: string, token: string, env: Record<string, string>) =>
  execa(process.execPath, [program, 'login', '--base-url', `${origin}/base`, '--with-token', '--json'], {
    env,
    extendEnv: false,
    input: `${token}\n`,
    reject: false,
  });

it('sign-ins in many processes at once lose no token, even if a lock was left behind', async () => {
  const [workers, originsOfOne, rounds] = isLong ? [20, 10, 2] : [3, 1, 1];
  const origins = await services(workers * originsOfOne);
  const { folder, env, lock } = newConfig();
  leaveOld(lock);
  const signedIn = Array.from({ length: workers }, async (_, who) => {
    const own = origins.filter((_, index) => index % workers === who);
    for (let round = 1; round <= rounds; round++) {
      for (const origin of own) {
        expect((await startSignIn(origin, `token-${round}-${origin}`, env)).exitCode).toBe(0);
      }
    }
  });
  await Promise.all(signedIn);
  const { tokens, baseUrl } = readStored(folder);
  expect(tokens).toEqual(Object.fromEntries(origins.map((origin) => [origin, `token-${rounds}-${origin}`])));
  expect(origins.map((origin) => `${origin}/base`)).toContain(baseUrl);
});

it('a process that is killed at any moment leaves a whole config, and the next sign-in works', async () => {
  const seed = 4_711;
  const victims = isLong ? 400 : 3;
  const chance = chanceOf(seed);
  const [origin = '', last = ''] = await services(2);
  const { file, lock, env } = newConfig();
  const begun = performance.now();
  expect((await startSignIn(origin, 'token-first', env)).exitCode).toBe(0);
  const moment = () => chance.between(10, Math.round(1.2 * tookMs));
  const tookMs = performance.now() - begun;
  const acknowledged: string[] = ['token-first'];
  let killed = 0;
  for (let index = 0; index < victims; index++) {
    if (existsSync(lock)) rmSync(lock);
    const process = startSignIn(origin, `token-${index}`, env);
    const timer = setTimeout(() => process.kill('SIGKILL'), moment());
    const { exitCode } = await process;
    clearTimeout(timer);
    if (exitCode === 0) acknowledged.push(`token-${index}`);
    else killed += 1;
    const { tokens } = JSON.parse(readFileSync(file, 'utf8')) as Config;
    expect([acknowledged.at(-1), `token-${index}`], `seed ${seed}`).toContain(tokens[origin]);
    if (tokens[origin] === `token-${index}`) acknowledged.push(`token-${index}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(killed).toBeGreaterThan(0);
  expect((await startSignIn(last, 'token-last', env)).exitCode).toBe(0);
  const { tokens } = JSON.parse(readFileSync(file, 'utf8')) as Config;
  expect(tokens).toEqual({ [origin]: acknowledged.at(-1), [last]: 'token-last' });
  expect(existsSync(lock)).toBe(false);
});
