import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/core/errors.ts';
import { trusting } from '../support/certificates.ts';
import { quickRetries } from '../support/clocks.ts';
import { has } from '../support/features.ts';
import { listen } from '../support/listen.ts';
import { folderOf, folderOfVals, valNames } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { secureService } from '../support/secure-service.ts';
import { startStrict } from '../support/strict-service.ts';
import {
  agentOnService,
  connectAgent,
  initialize,
  initializedAgent,
  otherClients,
  rawAgent,
  startAgent,
} from './clients.ts';

/** `Atomics.wait` blocks the thread like an endless loop, but uses no processor time. */
const deaf = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

it('a failure is the error object, with the hint that a person gets', async () => {
  const agent = await agentOnService();
  await agent.call('push', { name: 'hello', code: 'export default 1' });
  const { isError, document, texts } = await agent.call('version_get', { val: 'hello', version: 9 });
  expect({ isError, document }).toMatchObject({
    isError: true,
    document: {
      error: {
        kind: 'not_found',
        exit: 3,
        message: expect.stringMatching(/^There is no version 9 of the val hello\./),
        hint: 'To list the versions that exist, run `vals version ls hello`.',
      },
    },
  });
  expect(JSON.parse(texts[0] ?? '')).toEqual(document);
});

it('older and newer clients are served', async () => {
  const { env } = await startStrict({ list: true });
  for (const client of otherClients)
    expect(await (await connectAgent([], { env }, client)).call('me')).toMatchObject({ isError: false });
});

it('all calls share one connection over TLS', async () => {
  const service = await secureService('good');
  const agent = await startAgent([], { env: { ...service.env, ...trusting } });
  for (const _ of [1, 2, 3]) expect(await agent.call('me')).toMatchObject({ isError: false });
  expect({ requests: service.requests(), connections: service.connections() }).toEqual({
    requests: 3,
    connections: 1,
  });
});

it.runIf(has('service'))(
  'all calls share one embedded service, also after a failure and a cancelled call',
  async () => {
    const agent = await startAgent(['--local', '--debug'], {});
    const cancelled = agent.call('me', {}, { signal: AbortSignal.abort() });
    await expect(cancelled).rejects.toThrow();
    for (const val of ['absent', id])
      expect(await agent.call('val_get', { val })).toMatchObject({ isError: true });
    expect(await agent.call('ls')).toMatchObject({ isError: false });
    const ports = [...agent.stderr().matchAll(/> [A-Z]+ http:\/\/127\.0\.0\.1:(\d+)/g)].map(
      ([, port]) => port,
    );
    expect(ports.length).toBeGreaterThan(2);
    expect(new Set(ports).size).toBe(1);
  },
);

type Refusal = [tool: string, input: Record<string, unknown>, message: string, hint?: string];

const refusals: Refusal[] = [
  ['val_create', { name: 'one' }, 'The input code or the input file is missing.'],
  ['val_create', { name: 'one', code: 'x', file: 'y' }, 'The inputs code and file cannot be given together.'],
  ['val_get', { val: 5 }, 'val must be a string.'],
  ['push', { paths: ['hello.ts', 5] }, 'paths must be an array of strings.'],
  ['push', { paths: 'hello.ts' }, 'paths must be an array of strings.'],
  ['push', { code: 5, name: 'a' }, 'code must be a string.'],
  ['push', { force: 'yes' }, 'force must be a boolean.'],
  ['version_get', { val: 'hello', version: '1' }, 'version must be an integer.'],
  ['version_rm', { val: 'hello', versions: [1, true] }, 'versions must be an array of integers.'],
  ['runs', { limit: true }, 'limit must be an integer.'],
  ['runs', { limit: 2.5 }, 'limit must be an integer.'],
  ['run', { val: 'a', maxTime: null }, 'maxTime must be a number.'],
  ['val_get', { val: 'a\0' }, 'val contains a null character.'],
  ['val_get', {}, 'val is missing: ', 'The inputs of "val_get" are: val, code, readme.'],
  ['val_rm', { vals: [] }, 'vals', 'The inputs of "val_rm" are: vals, dryRun.'],
  ['pull', { merge: true, force: true }, 'merge and force cannot be given together.'],
  ['push', { name: 'a', code: 'export {' }, 'The code has a syntax error at 1:'],
  ['val_get', { val: 'a', other: 1 }, '"other" is not an input of the tool "val_get".'],
  ['runs', { limit: 0 }, 'limit takes a whole number of at least 1, not "0".'],
  ['run', { val: 'a', env: ['VALS_X=1'] }, 'env cannot name VALS_X: '],
  ['comments', { relationship: 'both' }, 'relationship takes one of any, given, received, not "both".'],
];

it.runIf(has('run') && has('workspace'))(
  'wrong inputs are refused, each with a message and a hint',
  async () => {
    const agent = await agentOnService(['--allow-delete', '--allow-run']);
    for (const [tool, input, message, hint = ''] of refusals) {
      const { isError, document } = await agent.call(tool, input);
      const error = { message: expect.stringContaining(message), hint: expect.stringContaining(hint) };
      expect({ tool, isError, document }).toMatchObject({ tool, isError: true, document: { error } });
    }
  },
);

it('the items that succeeded are listed beside the error', async () => {
  const { env } = await startStrict({
    instead: ({ body }) => (body.includes('bad') ? { status: 400, body: { message: 'no' } } : undefined),
  });
  const cwd = folderOfVals(['good', 'bad'], (name) => `// ${name}`);
  const agent = await connectAgent([], { env, cwd });
  expect(await agent.call('push', { paths: ['good.ts', 'bad.ts'] })).toMatchObject({
    isError: true,
    document: {
      error: { kind: 'partial', exit: 9 },
      items: [
        { name: 'good', status: 'created' },
        { name: 'bad', status: 'failed', error: { status: 400 } },
      ],
    },
  });
});

it('lists have 20 records, or as many as limit says, and all outcomes are given', async () => {
  const count = 21;
  const { env } = await startStrict({ list: true });
  const agent = await connectAgent([], { env, cwd: folderOfVals(valNames(count)) });
  const counted = async (name: string, input: Record<string, unknown> = {}) => {
    const { document, texts } = await agent.call(name, input);
    const { items, more } = document;
    return [Array.isArray(items) && items.length, more, texts.slice(1).join()];
  };
  expect(await counted('push', { paths: ['.'] })).toEqual([count, undefined, '']);
  const said = 'There are more records. To see them, give a higher limit.';
  expect(await counted('ls')).toEqual([20, true, said]);
  expect(await counted('ls', { limit: 3 })).toEqual([3, true, said]);
  expect(await counted('ls', { limit: count })).toEqual([count, undefined, '']);
});

it('of a run that printed much, an agent gets the end of the output', async () => {
  const { env } = await scriptedService([], () => ({ body: { id, logs: `${'x'.repeat(60_000)}end` } }));
  const agent = await connectAgent([], { env });
  const { document, texts } = await agent.call('runs', { run: id });
  expect(document).toEqual({ id, logs: `${'x'.repeat(19_997)}end` });
  expect(texts[1]).toBe('The output of the run is long. `logs` has only the end of it.');
});

describe('a result above 50,000 characters', () => {
  const answering = async (body: object, status = 200) => {
    const { env } = await scriptedService([], () => ({ status, body }));
    return connectAgent([], { env });
  };
  const large = 'x'.repeat(50_001);
  const error = {
    kind: 'local',
    exit: 10,
    message: 'The call succeeded, but its result has more than 50,000 characters.',
  };
  const pull = has('workspace') ? 'To write the code into a file, run `vals pull <val...>`.' : undefined;

  it('is an error if it is code', async () => {
    const agent = await answering({ id, name: 'a', code: large });
    const { document } = await agent.call('val_get', { val: id, code: true });
    expect(document).toMatchObject({ error: pull === undefined ? error : { ...error, hint: pull } });
  });

  it('of a val has no code, and says that there is more', async () => {
    const val = { id, name: 'a', version: 2, readme: 'short' };
    const agent = await answering({ ...val, code: large });
    const { isError, document, texts } = await agent.call('val_get', { val: id });
    expect({ isError, document }).toEqual({ isError: false, document: { ...val, more: true } });
    expect(texts[1]).toContain('The code is left out');
  });

  it.runIf(has('run'))('of a run is an error that says what to change in the code', async () => {
    const cwd = folderOf({ 'long.ts': 'export default () => "x".repeat(60_000);' });
    const agent = await connectAgent(['--allow-run', '--local'], { cwd });
    const { document } = await agent.call('run', { val: 'long.ts' });
    expect(document.error).toMatchObject({ ...error, hint: expect.stringContaining('returns less') });
  });

  it('is cut if it is a list', async () => {
    const data = Array.from({ length: 20 }, (_, index) => ({ id: `run${index}`, error: 'x'.repeat(12_000) }));
    const { document, texts } = await (await answering({ data })).call('runs');
    expect(document).toMatchObject({ items: [{}, {}, {}], more: true });
    expect(texts.join('').length).toBeLessThanOrEqual(50_000);
    expect(texts[1]).toContain(
      'There are more records, but a result has at most 50,000 characters. Ask for less at a time.',
    );
  });

  it('is not in the error of the service, which has its message alone', async () => {
    const agent = await answering({ message: 'no', large }, 400);
    const { isError, document } = await agent.call('me');
    expect({ isError, document }).toMatchObject({ isError: true, document: { error: { status: 400 } } });
    expect(document.error).not.toHaveProperty('body');
  });
});

it('control characters and direction marks are escaped', async () => {
  const { env } = await scriptedService([], () => ({
    body: `{"id":"${id}","name":"a\\u202e\\u009b","code":"\\u2066"}`,
  }));
  const agent = await initializedAgent([], { env });
  agent.callTool(1, 'val_get', { val: id });
  agent.callTool(2, 'val_get', { val: id, code: true });
  expect(await agent.answerTo(1)).toMatchObject({ result: { structuredContent: { name: 'a\u202e\u009b' } } });
  expect(await agent.answerTo(2)).toMatchObject({ result: { content: [{ text: '\u2066' }] } });
  const lines = agent.lines.join('');
  expect(lines).not.toMatch(/[\u007f-\u009f\u202e\u2066]/);
});

// The MCP client library may drop a progress notification that arrives with the answer, so the test reads the lines.
it('all progress of a push is written before the answer', async () => {
  const { env } = await startStrict({ list: true });
  const agent = await initializedAgent([], { env, cwd: folderOfVals(valNames(25)) });
  agent.callTool(1, 'push', { paths: ['.'] });
  await agent.answerTo(1);
  const [, ...messages] = agent.lines.map((line) => JSON.parse(line));
  expect(messages.at(-1)).toMatchObject({ id: 1 });
  const steps = messages.slice(0, -1).map((message) => message.params);
  expect(steps.map(({ progress }) => progress)).toEqual(steps.map((_, index) => index + 1));
  expect(steps.at(-1)).toMatchObject({ progressToken: 1, message: 'Pushing 25 of 25 vals' });
});

async function silentService() {
  const server = createServer();
  const port = await listen(server);
  return { server, env: { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: 'test-token-123' } };
}

it('a cancelled call stops its request, and one that waits for it sends nothing', async () => {
  const { server, env } = await silentService();
  const paths: string[] = [];
  server.on('request', ({ method, url }) => paths.push(`${method} ${url}`));
  const agent = await connectAgent([], { env });
  const cancels = [new AbortController(), new AbortController()];
  const requested = once(server, 'request');
  const calls = cancels.map(({ signal }, index) =>
    agent.call('val_create', { name: `val${index}`, code: '// code' }, { signal }),
  );
  const [, response] = await requested;
  const closed = once(response, 'close');
  for (const controller of cancels.toReversed()) controller.abort();
  for (const call of calls) await expect(call).rejects.toThrow();
  await closed;
  server.on('request', (_request, next) => next.end('{"id":"u","username":"ada"}'));
  expect(await agent.call('me')).toMatchObject({ isError: false });
  expect(paths).toEqual(['POST /v1/vals', 'GET /v1/me']);
});

it.runIf(has('run'))('a read does not wait for vals that run', async () => {
  const cwd = folderOf({ 'slow.ts': deaf });
  const agent = await agentOnService(['--allow-run'], { cwd });
  const cancel = new AbortController();
  const runs = Array.from({ length: 4 }, () => agent.call('run', { val: 'slow.ts' }, cancel));
  expect(await agent.call('me')).toMatchObject({ isError: false });
  cancel.abort();
  for (const run of runs) await expect(run).rejects.toThrow();
});

it.runIf(has('run'))(
  'a val that an agent runs gets the variables of `env` alone, and its output is in the result',
  async () => {
    const code =
      'export default (name) => { console.log("x".repeat(30_000) + "end"); if (name) throw new Error("no"); return [process.env.KEY, process.env.MINE, process.env.FROM_FILE] }';
    const { env } = await startStrict({ list: true });
    const options =
      'import { readFileSync } from "node:fs"; export default () => { const { KEY, NODE_OPTIONS, LD_PRELOAD } = process.env; let read; try { read = readFileSync("/etc/hosts", "utf8") } catch (e) { read = e.permission }; return [KEY, NODE_OPTIONS, LD_PRELOAD, read] }';
    const cwd = folderOf({ 'a.js': code, 'options.js': options, '.env': 'FROM_FILE=secret' });
    const agent = await connectAgent(['--allow-run'], { cwd, env: { ...env, MINE: 'secret' } });
    const { document } = await agent.call('run', { val: 'a.js', env: ['KEY=given'] });
    expect(document).toMatchObject({
      value: ['given', null, null],
      run: { logs: expect.stringMatching(/^x+end\n$/) },
    });
    expect(document).toHaveProperty('run.logs.length', 20_000);
    const variables = ['KEY=given', 'NODE_OPTIONS=--allow-fs-read=*', 'LD_PRELOAD=/absent.so'];
    const opening = await agent.call('run', { val: 'options.js', env: variables });
    expect(opening.document).toMatchObject({ value: ['given', null, null, 'FileSystemRead'] });
    expect(opening.texts[1]).toContain(
      'Left out of the environment of the val: NODE_OPTIONS and LD_PRELOAD.',
    );
    expect((await agent.call('run', { val: 'a.js', args: ['x'] })).document).toMatchObject({
      error: { kind: 'run_failed' },
      logs: expect.stringMatching(/^x+end\n$/),
    });
    expect((await agent.call('run', { val: 'a.js', env: ['MINE'] })).document).toMatchObject({
      error: { kind: 'usage', message: 'The variable MINE has no value.' },
    });
  },
);

it('a call fails while the service is away, and the server goes on', async () => {
  const { end, env } = await startStrict({ list: true });
  const agent = await connectAgent([], { env, clock: quickRetries });
  expect(await agent.call('me')).toMatchObject({ isError: false });
  await end();
  expect(await agent.call('me')).toMatchObject({
    isError: true,
    document: { error: { kind: 'unavailable', exit: 7 } },
  });
  expect(await agent.call('me')).toMatchObject({ isError: true });
});

it('when stdin ends, all calls are answered before vals mcp ends, also the last one without a newline', async () => {
  const { server, env } = await silentService();
  const agent = await initializedAgent([], { env });
  const requested = once(server, 'request');
  for (let id = 1; id <= 6; id++) agent.callTool(id, 'me');
  agent.send({ method: 'notifications/cancelled', params: { requestId: 6 } });
  agent.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"me"}}');
  const [, response] = await requested;
  const ended = agent.end();
  server.on('request', (_request, next) => next.end('{"id":"u","username":"ada"}'));
  response.end('{"id":"u","username":"ada"}');
  expect(await ended).toBe(0);
  for (const id of [1, 2, 3, 4, 5, 7])
    expect(await agent.answerTo(id)).toMatchObject({ result: { isError: false } });
});

it('at SIGTERM, vals mcp stops the requests under way, and exit 0 says that no call is lost', async () => {
  const { server, env } = await silentService();
  const busy = await initializedAgent([], { env });
  const requested = once(server, 'request');
  busy.callTool(1, 'me');
  const [, response] = await requested;
  const closed = once(response, 'close');
  busy.interrupt(new InterruptedError(143));
  expect(await busy.ended).toMatchObject({ exit: 143 });
  await closed;
  const idle = await initializedAgent([], { env });
  idle.interrupt(new InterruptedError(143));
  expect(await idle.ended).toMatchObject({ exit: 0, stderr: '' });
});

it('a message of more than 10 MiB is answered', async () => {
  const { env } = await startStrict({ list: true });
  const agent = await initializedAgent([], { env });
  agent.callTool(1, 'val_create', { name: 'large', code: `// ${'x'.repeat(11 * 1_048_576)}` });
  expect(await agent.answerTo(1)).toMatchObject({ result: { isError: true } });
  agent.callTool(2, 'me');
  expect(await agent.answerTo(2)).toMatchObject({ result: { isError: false } });
});

it('a line that is no message is answered, and vals mcp goes on', async () => {
  const { env } = await startStrict({ list: true });
  const agent = rawAgent([], { env });
  const garbage = ['hello', '{"a":', '\u0000', '[]', '42', '"text"', '{"jsonrpc":"2.0","id":{},"method":7}'];
  agent.write(`${garbage.join('\n')}\n\n{"jsonrpc":"2.0","id":9,"method":7}\n`);
  agent.send(initialize);
  await agent.answerTo(0);
  agent.send({ id: 1, method: 'no/such/method', params: {} });
  agent.callTool(2, '__proto__');
  agent.callTool(3, 'me');
  for (const id of [1, 2])
    expect(await agent.answerTo(id)).toMatchObject({ error: { code: expect.any(Number) } });
  expect(await agent.answerTo(3)).toMatchObject({ result: { isError: false } });
  expect(await agent.end()).toBe(0);
  const messages = agent.lines.map((line) => JSON.parse(line));
  expect(messages.slice(0, 8).map(({ jsonrpc, id, error }) => [jsonrpc, id, error?.code])).toEqual([
    ...Array(3).fill(['2.0', null, -32700]),
    ...Array(4).fill(['2.0', null, -32600]),
    ['2.0', 9, -32600],
  ]);
  expect(await agent.ended).toMatchObject({ stderr: '' });
});
