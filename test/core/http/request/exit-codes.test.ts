import { describe, expect, it } from 'vitest';
import { isLong } from '../../../support/cases.ts';
import { has } from '../../../support/features.ts';
import { kinds } from '../../../support/kinds.ts';
import { runQuickly as run } from '../../../support/program.ts';
import { fullService, rawService } from '../../../support/raw-service.ts';
import { type Reply, scriptedService, testToken } from '../../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

const commands = {
  GET: { args: ['me'], path: '/v1/me' },
  PUT: { args: ['push', '-', '--name', 'hello'], path: '/v1/vals' },
  POST: { args: ['val', 'create', 'hello'], path: '/v1/vals' },
  DELETE: { args: ['val', 'rm', id, '--yes'], path: `/v1/vals/${id}` },
};
type Method = keyof typeof commands;

const send = (method: Method, env: Record<string, string>, ...more: string[]) =>
  run([...commands[method].args, '--json', ...more], { env, input: 'export default 1' });

it('each POST has an idempotency key of its own', async () => {
  const service = await scriptedService([], () => ({ status: 201, body: { id } }));
  for (const _ of [1, 2]) await send('POST', service.env);
  const [first, second] = service.requests.map(({ headers }) => headers['idempotency-key']);
  expect(second).not.toBe(first);
});

describe('without a connection', () => {
  const hangsUp = async () =>
    `https://127.0.0.1:${(await rawService({ received: (socket) => socket.end() })).port}`;
  const refuses = async () => 'http://127.0.0.1:1';

  it.each<[Method, () => Promise<string>]>([
    ['GET', refuses],
    ['POST', refuses],
    ['POST', hangsUp],
  ])('%s is tried four times, and nothing was changed', async (method, address) => {
    const env = { VALS_BASE_URL: await address(), VALS_TOKEN: testToken };
    const { exit, stderr, error } = await send(method, env, '--debug');
    expect(exit).toBe(7);
    expect(stderr.match(/^> /gm)).toHaveLength(4);
    const message = expect.stringMatching(/^Could not connect to .+\.$/);
    const { port, protocol } = new URL(env.VALS_BASE_URL);
    const next = protocol === 'http:' ? `vals serve --port ${port}` : 'vals config';
    const check = 'Check that the service is running.';
    const hint =
      protocol === 'http:' && !has('service')
        ? check
        : expect.stringMatching(`^${check} To .+, run \`${next}\`\\.$`);
    const { path } = commands[method];
    expect(error).toEqual({ kind: kinds[7], exit: 7, message, hint, method, path });
  });

  it('nothing was changed, not even by a write whose time ended', async () => {
    const { env } = await fullService();
    expect(await send('POST', env, '--timeout', '2')).toMatchObject({ exit: 7 });
  });
});

it.runIf(isLong)('a reply is accepted up to 64 MiB, and refused with one byte more', async () => {
  const frame = '{"id":"a","text":""}';
  const text = (size: number) => frame.replace('""', `"${'x'.repeat(size - frame.length)}"`);
  const largest = 64 * 1024 * 1024;
  const service = await scriptedService([{ body: text(largest) }, { body: text(largest + 1) }]);
  const args = ['me', '--json', '--fields', 'id'];
  expect(await run(args, { env: service.env })).toMatchObject({ exit: 0, stdout: '{"id":"a"}\n' });
  const message = expect.stringContaining('64 MiB');
  expect(await run(args, { env: service.env })).toMatchObject({ exit: 11, stdout: '', error: { message } });
});

it('`vals api DELETE` shows the reply, so the reply may be empty, but not compressed', async () => {
  const headers = { 'content-encoding': 'gzip' };
  const service = await scriptedService([
    { headers, body: { deleted: true } },
    { status: 204, headers },
  ]);
  const args = ['api', 'DELETE', `/v1/vals/${id}`, '--json'];
  const message = expect.stringContaining('sent a compressed reply (gzip)');
  expect(await run(args, { env: service.env })).toMatchObject({ exit: 11, error: { message } });
  expect(await run(args, { env: service.env })).toMatchObject({ exit: 0, stdout: '' });
});

describe('an error', () => {
  it('is the last line of stderr under --json, whatever was printed before', async () => {
    const service = await scriptedService([{ status: 409, body: { message: 'taken', n: 1.5 } }]);
    const { exit, stdout, stderr, error } = await send('POST', service.env, '--debug');
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' });
    expect(stderr.split('\n').length).toBeGreaterThan(3);
    expect(error).toEqual({
      kind: 'conflict',
      exit: 5,
      message: 'There is a val named hello already. The service says: taken.',
      hint: expect.any(String),
      status: 409,
      method: 'POST',
      path: '/v1/vals',
      body: { message: 'taken', n: 1.5 },
    });
  });

  const refused = 'The service does not accept the token';
  const unknown = 'It is not known whether the service made the change.';
  it.each<[method: Method, replies: [status: number, message?: string][], said: string]>([
    ['GET', [[401, 'Unauthorized']], `${refused}.`],
    ['POST', [[408]], `The service could not complete the request. ${unknown}`],
    ['PUT', [[500], [429]], `The service received too many requests. ${unknown}`],
    ['PUT', [[500], [403]], `The token has no permission for the request. ${unknown}`],
  ])('of %s says after %j: %s', async (method, replies, said) => {
    const service = await scriptedService(
      replies.map(([status, message]): Reply => {
        const headers = { 'retry-after': status === 429 ? '900' : '0' };
        return { status, headers, body: { message } };
      }),
    );
    expect((await send(method, service.env)).error).toMatchObject({ message: said });
    expect(service.requests).toHaveLength(replies.length);
  });
});
