import { expect, it } from 'vitest';
import { isLong } from '../../../support/cases.ts';
import { has } from '../../../support/features.ts';
import { runQuickly as run, runProcess } from '../../../support/program.ts';
import { rawService } from '../../../support/raw-service.ts';
import { type Reply, scriptedService, testToken } from '../../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const hangUp: Reply = (response) => void response.destroy();

it('each POST has an idempotency key of its own', async () => {
  const service = await scriptedService([], () => ({ status: 201, body: { id } }));
  for (const _ of [1, 2]) await run(['val', 'create', 'hello'], { env: service.env, input: 'code' });
  const [first, second] = service.requests.map(({ headers }) => headers['idempotency-key']);
  expect(second).not.toBe(first);
});

const hangsUp = async () =>
  `https://127.0.0.1:${(await rawService({ received: (socket) => socket.end() })).port}`;
const refuses = async () => 'http://127.0.0.1:1';

it.each([
  ['GET', ['me'], refuses],
  ['POST', ['val', 'create', 'hello'], hangsUp],
])('without a connection, %s is tried four times, and nothing was changed', async (method, args, address) => {
  const env = { VALS_BASE_URL: await address(), VALS_TOKEN: testToken };
  const { exit, stderr, error } = await run([...args, '--json', '--debug'], { env, input: 'code' });
  expect(exit).toBe(7);
  expect(stderr.match(/^> /gm)).toHaveLength(4);
  const next = method === 'GET' && has('service') ? 'vals serve --port 1`' : 'vals config`';
  expect(error).toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(/^Could not connect to .+\.$/),
    hint: has('service') || method === 'POST' ? expect.stringContaining(next) : expect.any(String),
  });
});

it('404 for a second DELETE is success for vals and versions alone', async () => {
  const service = await scriptedService([hangUp, { status: 404 }]);
  expect(await run(['api', '-X', 'DELETE', '/v1/me/tokens/ci'], service)).toMatchObject({ exit: 8 });
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

it('a service that closes each connection after its answer breaks no write after a read', async () => {
  const body = '{"code":"export default 1"}';
  let requests = 0;
  const { env } = await rawService({
    received(socket) {
      requests += 1;
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    },
  });
  for (let turn = 0; turn < 8; turn++) {
    expect(await run(['version', 'restore', id, '1', '--json'], { env })).toMatchObject({ exit: 0 });
  }
  expect(requests).toBe(16);
});

it('with --json and --debug, the error is the last line, also while another request is interrupted', async () => {
  const service = await scriptedService([], ({ path }) => {
    if (path.includes('/versions/1')) return { status: 404 };
    return path.includes('/versions/2') ? () => {} : { body: { id, version: 2 } };
  });
  const args = ['version', 'diff', id, '1', '2', '--json', '--debug'];
  const { exit, error, stderr } = await runProcess(args, service);
  expect({ exit, error }).toMatchObject({ exit: 3, error: { status: 404 } });
  expect(stderr).toContain('/versions/2');
});
