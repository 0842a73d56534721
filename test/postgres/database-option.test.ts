import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf, newPlace } from '../service/support.ts';
import { embeddedService } from '../support/embedded-service.ts';
import { onServer } from '../support/postgres.ts';
import { folderOf, run, runProcess, temporaryFolder } from '../support/program.ts';

function apart(address: string) {
  const url = new URL(address);
  const { password } = url;
  url.password = '';
  return { url: url.href, password };
}

test('vals serve --database serves one database from two processes, prints only its address, and ends in order', async () => {
  const { url, password } = apart(await newPlace());
  const env = { PGPASSWORD: password };
  const args = ['--database', url];
  const first = await embeddedService({ at: '', args, env });
  expect(JSON.parse(first.printed.stdout)).toEqual({ baseUrl: first.baseUrl });
  const added = await runProcess(['user', 'add', 'ada', '--database', url, '--json'], { env });
  expect(added).toMatchObject({ exit: 0, stderr: '' });
  const { token } = JSON.parse(added.stdout);
  const second = await embeddedService({ at: '', args, env, json: false });
  expect(second.printed.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  const home = folderOf({ 'hello.ts': 'export default 1' });
  const push = await run(['push', 'hello.ts', '--json'], { home, env: { ...first.env, VALS_TOKEN: token } });
  const [{ id, ...pushed }] = JSON.parse(push.stdout);
  expect(pushed).toMatchObject({ status: 'created', version: 1 });
  expect(await clientOf({ ...second, token }).statusOf('GET', `/v1/vals/${id}`)).toBe(200);
  for (const { end } of [first, second]) expect(await end('SIGTERM')).toBe(0);
});

test('a password file and a Unix socket work as in every program of PostgreSQL', async () => {
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

test('VALS_DATABASE names the database, unless --data is given', async () => {
  const at = await newPlace();
  const shared = await embeddedService({ at });
  expect(Object.keys(JSON.parse(shared.printed.stdout))).toEqual(['baseUrl']);
  const own = await embeddedService({ env: { VALS_DATABASE: at } });
  expect(Object.keys(JSON.parse(own.printed.stdout))).toEqual(['baseUrl', 'token']);
});

test('--local uses its file, whatever VALS_DATABASE says', async () => {
  const { exit, stdout } = await run(['me', '--local', '--json'], {
    env: { VALS_DATABASE: 'postgres://vals@127.0.0.1:1/none' },
  });
  expect({ exit, username: JSON.parse(stdout).username }).toEqual({ exit: 0, username: 'local' });
});

test('a password on the command line causes a warning, and is removed from the list of processes', async () => {
  const at = await newPlace();
  const { password } = apart(at);
  const { pid, printed, end } = await embeddedService({ at: '', args: ['--database', at] });
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password);
  await end('SIGTERM');
  expect(printed.stderr).toContain('VALS_DATABASE');
  expect(printed.stderr + printed.stdout).not.toContain(password);
});

const secret = 'hunter2-of-nobody';

test.each<[string, (at: string) => string, number, RegExp]>([
  ['a wrong password', (at) => withPassword(at), 10, /rejected the user or the password/],
  ['a server that is not there', () => `postgres://vals:${secret}@127.0.0.1:1/vals`, 10, /ECONNREFUSED/],
  ['a host that is not there', () => `postgres://vals:${secret}@host.invalid/vals`, 10, /host\.invalid/],
  [
    'a database that is not there',
    (at) => at.replace(/\/t_\w+$/, '/absent'),
    10,
    /the database does not exist/,
  ],
  ['another kind of database', () => `mysql://vals:${secret}@localhost/vals`, 2, /PostgreSQL/],
  ['half an address', () => `postgres://vals:${secret}@:x/y`, 2, /PostgreSQL/],
  ['nothing', () => '', 2, /PostgreSQL/],
])('%s is reported without the password', async (_, address, exit, message) => {
  const at = await newPlace();
  for (const command of [
    ['serve', '--port', '0'],
    ['user', 'ls'],
  ]) {
    const result = await run([...command, '--database', address(at), '--debug']);
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toMatch(/ {4}at |node_modules/);
    for (const password of [secret, apart(at).password]) expect(result.stderr).not.toContain(password);
  }
});

function withPassword(at: string): string {
  const url = new URL(at);
  url.password = secret;
  return url.href;
}

test('a user who may not create the schema gets a clear error', async () => {
  const at = await newPlace();
  const name = `poor_${new URL(at).pathname.slice(3, 20)}`;
  await onServer(at, `CREATE ROLE ${name} LOGIN PASSWORD '${secret}'`);
  const url = new URL(at);
  [url.username, url.password] = [name, secret];
  const refused = await run(['user', 'ls', '--json'], { env: { VALS_DATABASE: url.href } });
  expect(refused).toMatchObject({ exit: 10, stdout: '' });
  expect(refused.stderr).toContain('the database user lacks a permission');
  await onServer(at, `CREATE SCHEMA vals AUTHORIZATION ${name}`);
  expect(await run(['user', 'ls', '--json'], { env: { VALS_DATABASE: url.href } })).toMatchObject({
    exit: 0,
    stdout: '[]\n',
  });
  await onServer(at, `DROP OWNED BY ${name}`);
  await onServer(at, `DROP ROLE ${name}`);
});

test('--seed is refused with a database, and --data together with --database', async () => {
  const home = folderOf({ 'seed.json': '{}' });
  const env = { VALS_DATABASE: await newPlace() };
  expect(await run(['serve', '--port', '0', '--seed', 'seed.json'], { home, env })).toMatchObject({
    exit: 2,
    stdout: '',
  });
  const both = ['user', 'ls', '--data', 'x.db', '--database', 'postgres://vals@localhost/vals'];
  expect(await run(both)).toMatchObject({ exit: 2, stdout: '' });
});
