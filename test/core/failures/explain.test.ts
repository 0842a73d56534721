import { expect, it } from 'vitest';
import { folderOf, runQuickly as run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { secureService } from '../../support/secure-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const caller = { detail: 'The address is wrong.', concerns: 'caller' };

it.each<[line: string, status: number, exit: number, hint: string, body?: object]>([
  ['push - --name a', 500, 8, 'You can safely push again'],
  ['val create a', 500, 8, 'You can safely run the command again'],
  ['val create send-mail', 400, 6, 'send_mail'],
  ['me', 401, 4, 'Set VALS_TOKEN'],
  ['me', 403, 4, 'Use a token that has the permission.'],
  ['push - --name a', 507, 7, 'Run the command again later.', { applied: false }],
  ['push - --name a', 500, 7, 'Run the command again later.', { applied: false }],
  ['val get 4f2c0c1e', 403, 4, 'To see the base URL and the token, run `vals config`.', caller],
  ['likes', 405, 3, '`vals config`'],
  ['val rm 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11 --yes', 404, 3, '`vals ls`'],
])('after vals %s and status %i (exit %i), the hint is: %s', async (line, status, exit, hint, body) => {
  const service = await scriptedService([], () => ({ status, body: body ?? {} }));
  const result = await run([...line.split(' '), '--json'], {
    env: service.env,
    input: 'code',
  });
  expect(result.exit).toBe(exit);
  expect(result.error?.hint).toContain(hint);
});

it.each([
  [403, caller, 'The address is wrong.'],
  [401, caller, 'The service does not accept the token: The address is wrong.'],
  [502, {}, 'The service could not complete the request (502).'],
  [503, { message: 'Busy.' }, 'The service is not available (503): Busy.'],
])('status %i with %j is: %s', async (status, body, message) => {
  const service = await scriptedService([], () => ({ status, body }));
  expect((await run(['me', '--json'], service)).error?.message).toBe(message);
});

it.each([
  ['You are no longer a member of acme.', ' The service says: You are no longer a member of acme.'],
  [`There is no val with the id ${id}.`, ''],
])('the detail %j of a plain problem is said where it says more', async (detail, more) => {
  const body = { type: 'about:blank', title: 'Not Found', detail };
  const service = await scriptedService([], () => ({ status: 404, body }));
  const { error } = await run(['version', 'ls', id, '--json'], service);
  expect(error?.message).toBe(`There is no val ${id}.${more}`);
});

it('what is about the caller is asked once, whatever the number of vals', async () => {
  const service = await scriptedService([], ({ method }) =>
    method === 'GET' ? { status: 404 } : { status: 403, body: caller },
  );
  const cwd = folderOf({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
  const { exit, stderr } = await run(['push', 'a.ts', 'b.ts', 'c.ts', '--concurrency', '1'], {
    env: service.env,
    cwd,
  });
  expect(exit).toBe(4);
  expect(stderr).toContain('2 others were not tried.');
  expect(service.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
});

it('http:// to a port of TLS is told to use https', async () => {
  const { port, env } = await secureService('good');
  const result = await run(['me', '--json'], { env: { ...env, VALS_BASE_URL: `http://127.0.0.1:${port}` } });
  expect(result).toMatchObject({
    exit: 7,
    error: { hint: `Run the command again. If the service needs https, use https://127.0.0.1:${port}.` },
  });
  // As nginx answers.
  const page = '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>';
  const service = await scriptedService([{ status: 400, body: page }]);
  expect((await run(['me', '--json'], service)).error?.hint).toBe(
    `If the service needs https, use ${service.env.VALS_BASE_URL?.replace('http:', 'https:')}.`,
  );
});
