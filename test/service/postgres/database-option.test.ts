import { expect, test } from 'vitest';
import { folderOf, run, temporaryFolder } from '../../support/program.ts';
import { embeddedService } from '../support/embedded-service.ts';
import { clientOf, newPlace } from '../support.ts';

const at = await newPlace();

const { password } = new URL(at);

test('vals serve serves one database from two processes, prints only its address, and no password', async () => {
  const first = await embeddedService({ at: '', args: ['--database', at] });
  expect(JSON.parse(first.printed.stdout)).toEqual({ baseUrl: first.baseUrl });
  const added = await run(['user', 'add', 'ada', '--json'], { env: { VALS_DATABASE: at } });
  expect(added).toMatchObject({ exit: 0, stderr: expect.stringMatching(/^Using the database \S+\.\n$/) });
  const { token } = JSON.parse(added.stdout);
  const second = await embeddedService({ at, json: false });
  expect(second.printed.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  const home = folderOf({ 'hello.ts': 'export default 1' });
  const push = await run(['push', 'hello.ts', '--json'], { home, env: { ...first.env, VALS_TOKEN: token } });
  const [{ id, ...pushed }] = JSON.parse(push.stdout);
  expect(pushed).toMatchObject({ status: 'created', version: 1 });
  expect(await clientOf({ ...second, token }).statusOf('GET', `/v1/vals/${id}`)).toBe(200);
  for (const { end, printed } of [first, second]) {
    expect(await end('SIGTERM')).toBe(0);
    expect(printed.stderr).not.toContain(password);
  }
});

test('--data and --local use their file, whatever VALS_DATABASE says', async () => {
  const env = { VALS_DATABASE: 'postgres://vals@127.0.0.1:1/none' };
  const home = temporaryFolder();
  const added = await run(['space', 'add', 'acme', '--data', 'team.db'], { home, env });
  expect(added.exit).toBe(0);
  const { exit, stdout } = await run(['me', '--local', '--json'], { env });
  expect({ exit, username: JSON.parse(stdout).username }).toEqual({ exit: 0, username: 'local' });
});

const secret = 'hunter2-of-nobody';

const withPassword = new URL(at);
withPassword.password = secret;

test.each<[string, string, number, RegExp]>([
  ['a wrong password', withPassword.href, 10, /password authentication failed/],
  ['a server that is not there', `postgres://vals:${secret}@127.0.0.1:1/vals`, 10, /ECONNREFUSED/],
  ['a database that is not there', at.replace(/\/t_\w+$/, '/absent'), 10, /database "absent" does not exist/],
  ['another kind of database', `mysql://vals:${secret}@localhost/vals`, 2, /PostgreSQL/],
])('%s is reported without the password', async (_, address, exit, message) => {
  const result = await run(['serve', '--port', '0', '--database', address, '--debug']);
  expect(result).toMatchObject({ exit, stdout: '' });
  expect(result.stderr).toMatch(message);
  expect(result.stderr).not.toMatch(/ {4}at |node_modules/);
  for (const word of [secret, password]) expect(result.stderr).not.toContain(word);
});

test('--data is refused together with --database', async () => {
  const words = ['serve', '--port', '0', '--database', at, '--data', 'x.db'];
  expect(await run(words)).toMatchObject({ exit: 2, stdout: '' });
});
