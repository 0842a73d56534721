// `--database`, from the command line: what is served, and what is said where it cannot be.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { ask, newPlace } from '../service/support.ts';
import { onServer } from '../support/postgres.ts';
import { environment, program, run, runProcess, temporaryFolder } from '../support/program.ts';

/** `vals serve --database` as it is built; what it printed first, and what ends it. */
async function serve(args: string[], env: Record<string, string> = {}) {
  const child = execa(process.execPath, [program, 'serve', '--port', '0', ...args], {
    env: environment(temporaryFolder(), env),
    extendEnv: false,
    reject: false,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.then(({ stderr }) => reject(new Error(`serve ended early: ${stderr}`)), reject);
  });
  return { line, child };
}

/** The address without its password, and the password. */
function apart(address: string) {
  const url = new URL(address);
  const { password } = url;
  url.password = '';
  return { url: url.href, password };
}

test('serves what several have, prints its address alone, and ends in order', async () => {
  const { url, password } = apart(await newPlace());
  const env = { PGPASSWORD: password };
  const { line, child } = await serve(['--database', url, '--json'], env);
  const { baseUrl, ...others } = JSON.parse(line);
  expect(others).toEqual({});
  const added = await runProcess(['user', 'add', 'ada', '--database', url, '--json'], { env });
  expect(added).toMatchObject({ exit: 0, stderr: '' });
  const { token } = JSON.parse(added.stdout);
  const second = await serve(['--database', url], env);
  expect(second.line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  const home = temporaryFolder();
  writeFileSync(join(home, 'hello.ts'), 'export default 1');
  const push = await run(['push', 'hello.ts', '--json'], {
    home,
    env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: token },
  });
  expect(JSON.parse(push.stdout)).toMatchObject([{ status: 'created', version: 1 }]);
  const other = { baseUrl: second.line.trim(), token };
  const [{ id }] = JSON.parse(push.stdout);
  expect((await ask(other, 'GET', `/v1/vals/${id}`)).status).toBe(200);
  for (const { child: one } of [{ child }, second]) {
    one.kill('SIGTERM');
    expect((await one).exitCode).toBe(0);
  }
});

test('a password file and a socket in the file system do, as for every program of PostgreSQL', async () => {
  const at = await newPlace();
  const { url, password } = apart(at);
  const file = join(temporaryFolder(), 'pgpass');
  writeFileSync(file, `*:*:*:vals:${password}\n`, { mode: 0o600 });
  const { port, pathname } = new URL(at);
  const [settings] = await onServer(at, 'SHOW unix_socket_directories');
  const socket = encodeURIComponent(String(settings?.unix_socket_directories));
  for (const address of [url, `postgres://${pathname}?host=${socket}&port=${port}&user=vals`]) {
    const { exit, stdout, stderr } = await runProcess(['user', 'ls', '--json', '--database', address], {
      env: { PGPASSFILE: file },
    });
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '[]\n', stderr: '' });
  }
});

test('VALS_DATABASE names it, too, and --data comes before it', async () => {
  const at = await newPlace();
  const { line } = await serve(['--json'], { VALS_DATABASE: at });
  expect(Object.keys(JSON.parse(line))).toEqual(['baseUrl']);
  const file = join(temporaryFolder(), 'vals.db');
  const own = await serve(['--json', '--data', file], { VALS_DATABASE: at });
  expect(Object.keys(JSON.parse(own.line))).toEqual(['baseUrl', 'token']);
});

test('--local is the file, whatever VALS_DATABASE says', async () => {
  const { exit, stdout } = await run(['me', '--local', '--json'], {
    env: { VALS_DATABASE: 'postgres://vals@127.0.0.1:1/none' },
  });
  expect({ exit, username: JSON.parse(stdout).username }).toEqual({ exit: 0, username: 'local' });
});

test('a password on the command line is warned of, and gone from the list of processes', async () => {
  const at = await newPlace();
  const { password } = apart(at);
  const { child } = await serve(['--database', at, '--json']);
  const seen = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
  expect(seen).not.toContain(password);
  child.kill('SIGTERM');
  const { stderr, stdout } = await child;
  expect(stderr).toContain('VALS_DATABASE');
  expect(stderr + stdout).not.toContain(password);
});

const secret = 'hunter2-of-nobody';

test.each<[string, (at: string) => string, number, RegExp]>([
  ['a wrong password', (at) => withPassword(at), 10, /rejected the user or the password/],
  ['a server that is not there', () => `postgres://vals:${secret}@127.0.0.1:1/vals`, 10, /ECONNREFUSED/],
  ['a host that is not there', () => `postgres://vals:${secret}@host.invalid/vals`, 10, /host\.invalid/],
  ['a database that is not there', (at) => at.replace(/\/t_\w+$/, '/absent'), 10, /no such database/],
  ['another kind of database', () => `mysql://vals:${secret}@localhost/vals`, 2, /PostgreSQL/],
  ['no address', () => `vals:${secret}@localhost`, 2, /PostgreSQL/],
  ['half an address', () => `postgres://vals:${secret}@:x/y`, 2, /PostgreSQL/],
  ['nothing', () => '', 2, /PostgreSQL/],
])('%s: it says so, without the password', async (_, address, exit, message) => {
  const at = await newPlace();
  for (const command of [
    ['serve', '--port', '0'],
    ['user', 'ls'],
  ]) {
    for (const json of [[], ['--json', '--debug']]) {
      const result = await run([...command, '--database', address(at), ...json]);
      expect(result).toMatchObject({ exit, stdout: '' });
      expect(result.stderr).toMatch(message);
      expect(result.stderr).not.toMatch(/ {4}at |node_modules/);
      for (const password of [secret, apart(at).password]) expect(result.stderr).not.toContain(password);
    }
  }
});

function withPassword(at: string): string {
  const url = new URL(at);
  url.password = secret;
  return url.href;
}

test('a user who may not make the schema is told so', async () => {
  const at = await newPlace();
  const name = `poor_${new URL(at).pathname.slice(3, 20)}`;
  await onServer(at, `CREATE ROLE ${name} LOGIN PASSWORD '${secret}'`);
  const url = new URL(at);
  [url.username, url.password] = [name, secret];
  const refused = await run(['user', 'ls', '--json'], { env: { VALS_DATABASE: url.href } });
  expect(refused).toMatchObject({ exit: 10, stdout: '' });
  expect(refused.stderr).toContain('may not');
  await onServer(at, `CREATE SCHEMA vals AUTHORIZATION ${name}`);
  expect(await run(['user', 'ls', '--json'], { env: { VALS_DATABASE: url.href } })).toMatchObject({
    exit: 0,
    stdout: '[]\n',
  });
  await onServer(at, `DROP OWNED BY ${name}`);
  await onServer(at, `DROP ROLE ${name}`);
});

test('a seed has no owner there: exit 2, and --data with --database contradict each other', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'seed.json'), '{}');
  const env = { VALS_DATABASE: await newPlace() };
  expect(await run(['serve', '--port', '0', '--seed', 'seed.json'], { home, env })).toMatchObject({
    exit: 2,
    stdout: '',
  });
  const both = ['user', 'ls', '--data', 'x.db', '--database', 'postgres://vals@localhost/vals'];
  expect(await run(both)).toMatchObject({ exit: 2, stdout: '' });
});
