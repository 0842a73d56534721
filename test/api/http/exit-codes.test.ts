import { describe, expect, it } from 'vitest';
import { forEachAtMost } from '../../support/cases.ts';
import { kinds } from '../../support/kinds.ts';
import { type RunResult, runQuickly as run, runOnScreen } from '../../support/program.ts';
import { fullService, rawService } from '../../support/raw-service.ts';
import {
  type Reply,
  type ScriptedService,
  scriptedService,
  testToken,
} from '../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const stack = /^\s+at .+:\d+/m;

interface Sending {
  args: string[];
  path: string;
  meanings?: Record<number, string>;
}
const commands: Record<'GET' | 'PUT' | 'POST' | 'DELETE', Sending> = {
  GET: { args: ['me'], path: '/v1/me' },
  PUT: { args: ['push', '-', '--name', 'hello'], path: '/v1/vals' },
  POST: {
    args: ['val', 'create', 'hello'],
    path: '/v1/vals',
    meanings: { 409: 'There is a val named hello already. The service says:' },
  },
  DELETE: {
    args: ['val', 'rm', id, '--yes'],
    path: `/v1/vals/${id}`,
    meanings: { 404: `There is no val ${id}. The service says:` },
  },
};
type Method = keyof typeof commands;
const methods = Object.keys(commands) as Method[];

const send = (method: Method, env: Record<string, string>, ...more: string[]): Promise<RunResult> =>
  run([...commands[method].args, '--json', ...more], { env, input: 'export default 1' });

function expectFailure(method: Method, exit: number, result: RunResult): void {
  const { stdout, stderr, error } = result;
  const facts = { exit, kind: kinds[exit], method, path: commands[method].path };
  expect(result.exit, stderr).toBe(exit);
  expect(error).toMatchObject({
    ...facts,
    message: expect.stringMatching(/\.$/),
    hint: expect.stringMatching(/\.$/),
  });
  expect(stderr).not.toMatch(stack);
  expect(stdout + stderr).not.toContain(testToken);
  if (method === 'GET' || method === 'POST') expect(stdout).toBe('');
  else expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ status: 'failed', error })]);
}

it.each([
  ['This service does not know the token.', '.'],
  ['Unauthorized', '.'],
  ['The token has expired', ': The token has expired.'],
])('a 401 with the message "%s" is reported without repetition', async (message, end) => {
  const service = await scriptedService([{ status: 401, body: { message } }]);
  const { stderr } = await run(['me'], { env: service.env });
  expect(stderr.split('\n')[0]).toBe(`error: The service does not accept the token${end}`);
});

it('an error status without --json prints an error, a hint, and no more', async () => {
  const cases = [
    { status: 401, method: 'GET' as const },
    { status: 404, method: 'DELETE' as const },
    { status: 409, method: 'POST' as const },
    { status: 409, method: 'PUT' as const },
  ];
  await forEachAtMost(3, cases, async ({ status, method }) => {
    const service = await scriptedService([{ status, body: { message: 'for a reason' } }]);
    const { args, path, meanings } = commands[method];
    const { stdout, stderr } = await run(args, { env: service.env, input: '1' });
    const [error = '', hint = '', ...rest] = stderr.split('\n');
    expect(error).not.toMatch(new RegExp(`${method}|${path}|${status}`));
    expect(error).toMatch(new RegExp(`^error: ${meanings?.[status] ?? 'The .+[^.]:'} for a reason\\.`));
    expect(hint).toMatch(/^hint: [A-Z`].+\.$/);
    expect(rest).toEqual(['']);
    if (method === 'PUT') expect(stdout).toBe('failed\thello\t\t\t-\n');
    else expect(stdout).toBe(method === 'DELETE' ? `failed\t${id}\n` : '');
  });
});

const reply = (word: number | 'lost'): Reply =>
  word === 'lost'
    ? (response) => response.destroy()
    : { status: word, ...(word !== 204 && { body: { id, version: 0 } }) };

describe('a failed request', () => {
  it('that is a POST has one idempotency key in all attempts, and the next command has another key', async () => {
    const service = await scriptedService([429, 503, 201, 201].map((status) => reply(status)));
    await send('POST', service.env);
    await send('POST', service.env);
    const [first, second, third, other] = service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    expect([second, third]).toEqual([first, first]);
    expect(other).toMatch(/^[0-9a-f-]{36}$/);
    expect(other).not.toBe(first);
  });

  it('that is a DELETE succeeds if a repeated request does not find the val or version', async () => {
    const service = await scriptedService([502, 404, 'lost' as const, 404].map(reply));
    const val = await send('DELETE', service.env);
    expect(val).toMatchObject({ exit: 0, stdout: `[{"id":"${id}","status":"deleted"}]\n`, stderr: '' });
    const version = await run(['version', 'rm', id, '0', '--yes'], { env: service.env });
    expect(version).toMatchObject({ exit: 0, stdout: `deleted\t0\t${id}\n`, stderr: '' });
  });
});

describe('without an answer', () => {
  it('a connection that is refused or breaks before TLS is tried four times, and nothing was changed', async () => {
    const hangsUp = await rawService({ received: (socket) => socket.end() });
    const cases = [
      ...methods.map((method) => ({ method, address: 'http://127.0.0.1:1' })),
      { method: 'POST' as const, address: `https://127.0.0.1:${hangsUp.port}` },
    ];
    await forEachAtMost(8, cases, async ({ address, method }) => {
      const result = await send(method, { VALS_BASE_URL: address, VALS_TOKEN: testToken }, '--debug');
      expectFailure(method, 7, result);
      expect(result.stderr.match(/^> /gm)).toHaveLength(4);
      expect(Object.keys(result.error ?? {})).toEqual(['kind', 'exit', 'message', 'hint', 'method', 'path']);
    });
  });

  it('the last answer before the service went away decides whether a write may have been made', async () => {
    const cases: [status: number, exit: number][] = [
      [502, 8],
      [503, 7],
      [429, 7],
    ];
    await forEachAtMost(3, cases, async ([status, exit]) => {
      const service = await rawService({
        received(socket) {
          service.stopListening();
          socket.end(`HTTP/1.1 ${status} Going\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
        },
      });
      expectFailure('PUT', exit, await send('PUT', service.env));
      expect(service.connections()).toBe(1);
    });
  });

  it('nothing was changed if no connection was made, not even by a write', async () => {
    const service = await fullService();
    expectFailure('POST', 7, await send('POST', service.env, '--timeout', '2'));
  });
});

describe('an answer that a val service would not send', () => {
  it('is accepted up to 64 MiB, and refused with one byte more', async () => {
    const frame = '{"id":"a","text":""}';
    const text = (size: number) => frame.replace('""', `"${'x'.repeat(size - frame.length)}"`);
    const largest = 64 * 1024 * 1024;
    const service = await scriptedService([{ body: text(largest) }, { body: text(largest + 1) }]);
    const fits = await run(['me', '--json', '--fields', 'id'], { env: service.env });
    expect(fits).toMatchObject({ exit: 0, stdout: '{"id":"a"}\n' });
    expect(await run(['me', '--json', '--fields', 'id'], { env: service.env })).toMatchObject({
      exit: 11,
      stdout: '',
      error: { kind: 'bad_response', message: expect.stringContaining('64 MiB') },
    });
  });

  it('to a DELETE may be compressed, unless its body is shown', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const compressed = () => scriptedService([], () => ({ body: { deleted: true }, headers }));
    const empty = await scriptedService([], () => ({ status: 204, headers }));
    const removal = await run(['val', 'rm', id, '--yes'], { env: (await compressed()).env });
    expect(removal.exit, removal.stderr).toBe(0);
    const path = `/v1/vals/${id}`;
    const shown = await run(['api', 'DELETE', path, '--json'], { env: (await compressed()).env });
    expect(shown).toMatchObject({
      exit: 11,
      error: { message: expect.stringContaining('sent a compressed reply (gzip)') },
    });
    expect(await run(['api', 'DELETE', path], { env: empty.env })).toMatchObject({ exit: 0, stdout: '' });
  });
});

describe('messages', () => {
  it('end with one line of JSON under --json, whatever was printed before', async () => {
    const service = await scriptedService([{ status: 409, body: { message: 'taken', n: 1.5 } }]);
    const { exit, stdout, stderr } = await run(['val', 'create', 'not a name', '--json', '--debug'], {
      env: service.env,
      input: '1',
    });
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' });
    const lines = stderr.split('\n');
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.pop()).toBe('');
    expect(JSON.parse(lines.pop() ?? '')).toEqual({
      error: {
        kind: 'conflict',
        exit: 5,
        message: 'There is a val named not a name already. The service says: taken.',
        hint: expect.any(String),
        status: 409,
        method: 'POST',
        path: '/v1/vals',
        body: { message: 'taken', n: 1.5 },
      },
    });
  });

  const unknown = 'It is not known whether the service made the change.';
  it.each([
    ['after one attempt', 'POST', [408], `The service did not receive the whole request in time. ${unknown}`],
    [
      'if the last of two attempts was refused',
      'PUT',
      [500, 429],
      `The service received too many requests (2 attempts). ${unknown}`,
    ],
    [
      'unless the last attempt got a clear answer',
      'PUT',
      [500, 403],
      'The token has no permission for the request (2 attempts). The request was sent more than once, so the service may already have made the change.',
    ],
  ] as const)('say once that the outcome is unknown, %s', async (_when, method, statuses, message) => {
    const headers = { 'retry-after': '900' };
    const replies = statuses.map((status): Reply => (status === 429 ? { status, headers } : { status }));
    const service = await scriptedService(replies);
    const { error } = await send(method, service.env);
    expect(error).toMatchObject({ message });
    expect(service.requests).toHaveLength(statuses.length);
  });
});

describe('the token is never printed', () => {
  const printed = async (args: string[], service: ScriptedService, token = testToken) => {
    const env = { ...service.env, VALS_TOKEN: token };
    const { stdout, stderr } = await run(args, { env, input: '1' });
    expect(service.requests.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    return stdout + stderr;
  };
  it('in another spelling', async () => {
    const marker = 'Zx81-marker-55';
    const token = `%41${marker}+/==`;
    const replies: ((token: string) => Reply)[] = [
      (token) => ({ status: 302, headers: { location: `/?t=${encodeURIComponent(token)}` } }),
      (token) => ({ status: 400, body: { message: token } }),
      (token) => ({ body: { id: token, username: { token } } }),
    ];
    for (const reply of replies) {
      const service = await scriptedService([], () => reply(token));
      for (const format of [[], ['--json']]) {
        const text = await printed(['me', ...format], service, token);
        expect(text).not.toBe('');
        expect(text).not.toContain(marker);
      }
    }
  });

  it('in part, if a table is cut to the width of the terminal', async () => {
    const row = { id: 'a', name: `${'x'.repeat(6)}${testToken.repeat(200)}` };
    const service = await scriptedService([{ body: { data: [row], links: {} } }]);
    const { exit, screen } = await runOnScreen(['likes'], { env: service.env, columns: 120 });
    expect({ exit, listed: /name/i.test(screen) }).toEqual({ exit: 0, listed: true });
    expect(screen).not.toContain(testToken.slice(0, 8));
  });
});

describe('the hint', () => {
  it.each<[Reply, string]>([
    [{ status: 403 }, 'Use a token that has the permission. To see whose token you use, run `vals me`.'],
    [{ status: 413 }, 'Split the val into smaller vals.'],
    [
      { status: 422, body: { message: 'The name is too long' } },
      'Change the input as the message of the service says.',
    ],
    [{ status: 422 }, 'Run the command again with --debug to see the request and the reply.'],
    [{ status: 409 }, 'To see the val as it is now, run `vals val get hello`.'],
    [{ status: 429, headers: { 'retry-after': '3600' } }, 'Wait 3600 s, then run the command again.'],
    [
      { status: 404 },
      'To check the base URL, run `vals config`. If the base URL is right, this service does not support this command.',
    ],
  ])('after %j is: %s', async (reply, hint) => {
    const service = await scriptedService([reply]);
    const { error } = await send('PUT', service.env);
    expect(error).toMatchObject({ hint });
  });
});
