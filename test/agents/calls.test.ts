import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveProtocol } from '../../src/agents/protocol.ts';
import type { Tool } from '../../src/agents/tools.ts';
import { deaf } from '../run/folder.ts';
import { listen } from '../support/listen.ts';
import { folderOf, folderOfVals, run, temporaryFolder, valNames } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import { agentOnService, connectAgent, initialize, rawAgent } from './clients.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

it('a failure is the error object, with a hint for an agent', async () => {
  const agent = await agentOnService();
  const { isError, document, texts } = await agent.call('val_get', { val: 'nope' });
  expect({ isError, document }).toEqual({
    isError: true,
    document: {
      error: {
        kind: 'not_found',
        exit: 3,
        message: 'There is no val named nope.',
        hint: 'To list your vals, run `ls`.',
      },
    },
  });
  expect(JSON.parse(texts[0] ?? '')).toEqual(document);
});

it('wrong inputs are refused', async () => {
  const agent = await agentOnService();
  for (const [name, input, message] of [
    ['val_create', { name: 'one' }, 'The tool val_create needs the input code or the input file.'],
    [
      'val_create',
      { name: 'one', code: 'x', file: 'y' },
      'The tool val_create takes the input code or the input file, not both.',
    ],
    ['val_create', { name: 'one', file: '-' }, 'The input file cannot be -.'],
    ['val_get', { val: 'a\0' }, 'An input of val_get contains a null character.'],
    ['val_create', { name: 'one', code: '' }, 'Standard input is empty.'],
    ['val_get', {}, expect.stringContaining('The tool val_get needs the input val: ')],
    ['pull', { vals: ['a'], all: true }, '--all pulls every val, so no names can be given.'],
    ['push', { code: 'x' }, 'Code from standard input needs a name.'],
    ['val_get', { val: 'a', other: 1 }, 'The tool val_get has no input "other".'],
    ['val_get', { val: { a: 1 } }, 'The input val of val_get must be a string.'],
    ['runs', { error: 'yes' }, 'The input error of runs must be a boolean.'],
    ['runs', { limit: 0 }, '--limit takes a whole number of at least 1, not "0".'],
    ['refs', { limit: 5 }, 'The tool refs has no input "limit".'],
    ['comments', { relationship: 'both' }, '--relationship takes one of any, given, received, not "both".'],
    ['push', { paths: 'hello.ts' }, 'The input paths of push must be an array of strings.'],
  ] as const) {
    const { isError, document } = await agent.call(name, input);
    expect({ name, isError, document }).toMatchObject({ isError: true, document: { error: { message } } });
  }
});

it('the items that succeeded are listed beside the error', async () => {
  const { env } = await scriptedService([], ({ body }) =>
    body.includes('bad')
      ? { status: 400, body: { message: 'no' } }
      : { status: 201, body: { id, version: 1 } },
  );
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

it('a list has 20 records, or as many as limit says, and tells that there are more', async () => {
  const cwd = folderOfVals(valNames(25));
  const agent = await agentOnService([], { cwd });
  await agent.call('push', { paths: ['.'] });
  const counted = async (input: Record<string, unknown>) => {
    const { document, texts } = await agent.call('ls', input);
    const { items, more } = document;
    return [Array.isArray(items) && items.length, more, texts.slice(1).join()];
  };
  const said = 'There are more records. To see them, give a higher limit.';
  expect(await counted({})).toEqual([20, true, said]);
  expect(await counted({ limit: 3 })).toEqual([3, true, said]);
  expect(await counted({ limit: 25 })).toEqual([25, undefined, '']);
  expect(await counted({ limit: 100 })).toEqual([25, undefined, '']);
});

it('status, diff, push, pull and version_ls give all items', async () => {
  const count = 21;
  const { env } = await serviceInProcess();
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  await run(['init'], { cwd, home, env });
  const writeAll = (code: string) => {
    for (let index = 0; index < count; index++) writeFileSync(join(cwd, `val${index}.ts`), code);
  };
  writeAll('// 0');
  const agent = await connectAgent([], { env, cwd, home });
  const counted = async (name: string, input: Record<string, unknown> = {}) => {
    const { items, more } = (await agent.call(name, input)).document;
    return [Array.isArray(items) && items.length, more];
  };
  expect(await counted('push')).toEqual([count, undefined]);
  writeAll('// 1');
  for (const name of ['status', 'diff', 'pull', 'push']) {
    expect([name, ...(await counted(name))]).toEqual([name, count, undefined]);
  }
  for (let version = 2; version < count; version++)
    await agent.call('version_new', { val: 'val0', code: `// ${version}` });
  expect(await counted('version_ls', { val: 'val0' })).toEqual([count, undefined]);
  for (const { name, inputSchema } of await agent.listTools()) {
    const isPaged = ['runs', 'val_runs', 'likes', 'comments', 'ls'].includes(name);
    expect([name, 'limit' in (inputSchema.properties ?? {})]).toEqual([name, isPaged]);
  }
});

it('a list of large records is cut at a million characters', async () => {
  const runOf = (index: number) => ({ id: `run${index}`, error: 'x'.repeat(300_000) });
  const { env } = await scriptedService([], () => ({
    body: { data: Array.from({ length: 20 }, (_, index) => runOf(index)) },
  }));
  const agent = await connectAgent([], { env });
  const { document, texts } = await agent.call('runs');
  expect([document.items, document.more]).toMatchObject([{ length: 3 }, true]);
  expect(texts[1]).toBe(
    'There are more records, but the whole list is too large for one answer. Ask for fewer records or fewer vals at a time.',
  );
});

const manyKeys = () => Array.from({ length: 100_000 }, (_, index) => [`key${index}`, '']);

describe('an answer above a million characters', () => {
  const answering = async (body: object, status = 200) => {
    const { env } = await scriptedService([], () => ({ status, body }));
    return connectAgent([], { env });
  };
  const large = 'x'.repeat(1_000_001);
  const error = {
    kind: 'local',
    exit: 10,
    message:
      'The call succeeded, but its result has more than 1000000 characters, so it is too large for one answer.',
    hint: 'Ask for less. To read the code of a large val, pull the val into a file with `pull`.',
  };

  it.each([
    { what: 'a record', tool: 'val_get', body: { id, name: 'a', code: large } },
    { what: 'a record with many keys', tool: 'me', body: { id, ...Object.fromEntries(manyKeys()) } },
    { what: 'a record with many numbers', tool: 'me', body: { id, long: [...Array(400_000).keys()] } },
    { what: 'the first record of a list', tool: 'runs', body: { data: [{ id, error: large }] } },
    { what: 'code', tool: 'val_get', input: { code: true }, body: { id, name: 'a', code: large } },
  ])('is an error: $what', async ({ tool, input, body }) => {
    const agent = await answering(body);
    const answer = await agent.call(tool, { ...(tool === 'val_get' && { val: id }), ...input });
    expect(answer).toEqual({ isError: true, document: { error }, texts: [JSON.stringify({ error })] });
  });

  it('is not in the error of the service, which has only its beginning', async () => {
    const agent = await answering({ message: 'no', large }, 400);
    const { isError, document } = await agent.call('me');
    expect({ isError, error: document.error }).toMatchObject({ isError: true, error: { status: 400 } });
    expect(document.error).toHaveProperty('body', `{"message":"no","large":"${'x'.repeat(1_975)}`);
  });

  it('is not reached by the largest val, even if JSON escapes all its characters', async () => {
    const val = { id, name: 'a', code: '\u0001'.repeat(256_000), readme: '\n'.repeat(8_192) };
    const agent = await answering(val);
    expect(await agent.call('val_get', { val: id })).toMatchObject({ isError: false, document: val });
  });
});

it('numbers keep their digits', async () => {
  const { env } = await scriptedService([], () => ({
    headers: { 'content-type': 'application/json' },
    body: `{"id":"${id}","name":"a","views":12345678901234567890}`,
  }));
  const agent = rawAgent([], { env });
  agent.send(initialize);
  agent.send({ id: 1, method: 'tools/call', params: { name: 'val_get', arguments: { val: id } } });
  await agent.answerTo(1);
  expect(agent.lines.at(-1)).toContain(
    '"structuredContent":{"id":"4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11","name":"a","views":12345678901234567890}',
  );
});

it('control characters and direction marks are escaped in the whole line', async () => {
  const { env } = await scriptedService([], () => ({ body: { id, name: 'a\u202e\u009b', code: '\u2066' } }));
  const agent = rawAgent([], { env });
  agent.send(initialize);
  for (const [index, input] of [{ val: id }, { val: id, code: true }].entries())
    agent.send({ id: index + 1, method: 'tools/call', params: { name: 'val_get', arguments: input } });
  expect(await agent.answerTo(1)).toMatchObject({ result: { structuredContent: { name: 'a\u202e\u009b' } } });
  expect(await agent.answerTo(2)).toMatchObject({ result: { content: [{ text: '\u2066' }] } });
  expect(agent.lines.join('')).not.toMatch(/[\u007f-\u009f\u202e\u2066]/);
});

it('ten calls at once are all answered', async () => {
  const agent = await agentOnService();
  const names = Array.from({ length: 10 }, (_, index) => `val${index}`);
  const pushed = await Promise.all(names.map((name) => agent.call('push', { name, code: `// ${name}` })));
  expect(pushed.map(({ document }) => document)).toMatchObject(
    names.map((name) => ({ items: [{ name, status: 'created' }] })),
  );
  const got = await Promise.all(names.map((val) => agent.call('val_get', { val })));
  expect(got.map(({ document }) => document.name)).toEqual(names);
});

it('a push of many files reports progress', async () => {
  const agent = await agentOnService([], { cwd: folderOfVals(valNames(25)) });
  const messages: string[] = [];
  const { document } = await agent.call(
    'push',
    { paths: ['.'] },
    { onprogress: ({ message = '' }) => void messages.push(message) },
  );
  expect(document).toMatchObject({ items: { length: 25 } });
  expect(messages).toContain('Pushing 0 of 25 vals');
});

// The MCP client library may drop a progress notification that arrives with the answer, so the test uses `rawAgent`.
it('all progress of a push is written before the answer', async () => {
  const { env } = await serviceInProcess();
  const agent = rawAgent([], { env, cwd: folderOfVals(valNames(25)) });
  agent.send(initialize);
  await agent.answerTo(0);
  const params = { name: 'push', arguments: { paths: ['.'] }, _meta: { progressToken: 'push' } };
  agent.send({ id: 1, method: 'tools/call', params });
  await agent.answerTo(1);
  const [, ...messages] = agent.lines.map((line) => JSON.parse(line));
  expect(messages.at(-1)).toMatchObject({ id: 1 });
  const steps = messages.slice(0, -1).map((message) => message.params);
  expect(steps.map(({ progress }) => progress)).toEqual(steps.map((_, index) => index + 1));
  expect(steps.at(-1)).toMatchObject({ progressToken: 'push', message: 'Pushing 25 of 25 vals' });
});

async function silentService() {
  const server = createServer();
  const port = await listen(server);
  return { server, env: { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: 'test-token-123' } };
}

it('a cancelled call stops its request, and the next call works', async () => {
  const { server, env } = await silentService();
  const agent = await connectAgent([], { env });
  const controller = new AbortController();
  const requested = once(server, 'request');
  const call = agent.call('me', {}, { signal: controller.signal });
  const [, response] = await requested;
  const closed = once(response, 'close');
  controller.abort();
  await expect(call).rejects.toThrow();
  await closed;
  server.on('request', (_request, next) => next.end('{"id":"u","username":"ada"}'));
  expect(await agent.call('me')).toMatchObject({ document: { username: 'ada' } });
});

it('a call that is cancelled while it waits for another call sends nothing', async () => {
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

it('a missing input is answered with the list of inputs', async () => {
  const agent = await agentOnService(['--allow-delete']);
  for (const [name, input, hint] of [
    ['val_get', {}, 'The inputs of the tool val_get are: val, code, readme.'],
    ['val_rm', { vals: [] }, 'The inputs of the tool val_rm are: vals, dryRun.'],
    ['push', { code: 'x' }, 'Add a name, such as `push {"code": "...", "name": "hello"}`.'],
  ] as const) {
    expect([name, (await agent.call(name, input)).document.error]).toMatchObject([
      name,
      { kind: 'usage', hint },
    ]);
  }
});

it('if a val takes too long, the error names the input that gives the val more time', async () => {
  const cwd = folderOf({ 'slow.ts': 'export default () => { for (;;); };' });
  const agent = await agentOnService(['--allow-run'], { cwd });
  expect(await agent.call('run', { val: 'slow.ts', maxTime: 1 })).toMatchObject({
    document: { error: { kind: 'run_failed', hint: expect.stringContaining('"maxTime"') } },
  });
});

it('a read does not wait for vals that run', async () => {
  const cwd = folderOf({ 'slow.ts': deaf });
  const agent = await agentOnService(['--allow-run'], { cwd });
  let endedRuns = 0;
  const runs = Array.from({ length: 4 }, async () => {
    await agent.call('run', { val: 'slow.ts', maxTime: 4 });
    endedRuns += 1;
  });
  expect(await agent.call('me')).toMatchObject({ isError: false });
  expect(endedRuns).toBe(0);
  await Promise.all(runs);
});

it('words of the caller are not reworded', async () => {
  const agent = await agentOnService();
  for (const [val, message] of [
    ['--force', 'There is no val named --force.'],
    ['my --dry-run', 'There is no val named my --dry-run.'],
  ])
    expect((await agent.call('val_get', { val })).document).toMatchObject({ error: { message } });
  const { document } = await agent.call('val_create', { name: 'a', file: '--force' });
  expect(document).toMatchObject({ error: { message: expect.stringContaining('--force does not exist') } });
});

it('the error of a val is not reworded', async () => {
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, 'bad.ts'),
    "export default () => { throw new Error('no --dry-run in `vals push`'); };",
  );
  const agent = await agentOnService(['--allow-run'], { cwd });
  expect(await agent.call('run', { val: 'bad.ts' })).toMatchObject({
    isError: true,
    document: {
      error: {
        kind: 'run_failed',
        exit: 12,
        message: expect.stringContaining('no --dry-run in `vals push`'),
      },
    },
  });
});

it('a call fails while the service is away, and the server goes on', async () => {
  const { end, env } = await serviceInProcess();
  const agent = await connectAgent(['--timeout', '1'], { env });
  expect(await agent.call('me')).toMatchObject({ isError: false });
  await end();
  expect(await agent.call('me')).toMatchObject({
    isError: true,
    document: { error: { kind: 'unavailable', exit: 7 } },
  });
  expect(await agent.call('me')).toMatchObject({ isError: true });
});

it('vals mcp ends with exit 0 when stdin ends, and stops the requests under way', async () => {
  const { server, env } = await silentService();
  const agent = rawAgent([], { env });
  agent.send(initialize);
  await agent.answerTo(0);
  const requested = once(server, 'request');
  for (let id = 1; id <= 200; id++) {
    agent.send({ id, method: 'tools/call', params: { name: 'me', arguments: {} } });
  }
  const [, response] = await requested;
  agent.send({ id: 201, method: 'ping' });
  await agent.answerTo(201);
  const closed = once(response, 'close');
  expect(await agent.end()).toBe(0);
  await closed;
});

it('vals mcp ends at SIGTERM', async () => {
  const { env } = await serviceInProcess();
  const agent = rawAgent([], { env });
  agent.send(initialize);
  await agent.answerTo(0);
  agent.kill('SIGTERM');
  expect(await agent.ended).toBe(0);
  expect(agent.stderr()).toBe('');
});

it('a call that has ended leaves no listener behind', async () => {
  const agent = await agentOnService();
  const warnings: Error[] = [];
  const collect = (warning: Error) => void warnings.push(warning);
  process.on('warning', collect);
  onTestFinished(() => void process.off('warning', collect));
  for (let count = 0; count < 12; count++) await agent.call('me');
  expect(warnings).toEqual([]);
});

it('vals mcp continues after garbage on stdin', async () => {
  const { env } = await serviceInProcess();
  const agent = rawAgent([], { env });
  agent.write('hello\n\n{"a":\n\u0000\u0001\n[]\n42\n"text"\n{"jsonrpc":"2.0","id":{},"method":7}\n');
  agent.send(initialize);
  await agent.answerTo(0);
  agent.write(`${'x'.repeat(100_000)}\n`);
  agent.send({ id: 1, method: 'no/such/method', params: {} });
  agent.send({ id: 2, method: 'tools/call', params: { name: 7 } });
  agent.send({ id: 3, method: 'tools/call', params: { name: 'me', arguments: [] } });
  agent.send({ id: 4, method: 'tools/call', params: { name: '__proto__', arguments: { __proto__: null } } });
  agent.send({ id: 5, method: 'tools/call', params: { name: 'me' } });
  const answers = await Promise.all([1, 2, 3, 4, 5].map(agent.answerTo));
  expect(answers.slice(0, 4)).toMatchObject(
    [1, 2, 3, 4].map((id) => ({ id, error: { code: expect.any(Number) } })),
  );
  expect(answers[4]).toMatchObject({ result: { isError: false } });
  expect(await agent.end()).toBe(0);
  for (const line of agent.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});

it('vals mcp refuses a message of more than 4 MB', async () => {
  const { env } = await serviceInProcess();
  const agent = rawAgent([], { env });
  agent.write('x'.repeat(6_000_000));
  expect(await agent.ended).toBe(2);
  expect(agent.stderr()).toContain('The client sent a message of more than 4 MB.');
});

it.each([
  { method: 'tools/list', params: {} },
  { method: 'tools/call', params: { name: 'me', arguments: {} } },
])('vals mcp reads $method only as fast as the client reads the answers', async ({ method, params }) => {
  const count = 2_000;
  let sent = 0;
  const stop = withResolvers();
  const line = (message: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  async function* messages() {
    yield line(initialize);
    for (; sent < count; sent++) {
      yield line({ id: sent + 2, method, params });
      await setImmediate();
    }
    await stop.promise;
  }
  const stdin = Readable.from(messages());
  let isReading = false;
  let unread = () => {};
  let answers = 0;
  const stdout = new Writable({
    write(_message, _encoding, done) {
      answers += 1;
      if (isReading) done();
      else unread = done;
    },
  });
  const answer = { document: { text: 'x'.repeat(10_000) }, texts: ['x'.repeat(10_000)], isError: false };
  const serving = serveProtocol({
    version: '1.0.0',
    instructions: '',
    tools: [fakeTool],
    explainMissing: () => '',
    call: async () => answer,
    stdin,
    stdout,
    editBeforeWriting: (message) => message,
    onError(error) {
      throw error;
    },
    signal: new AbortController().signal,
  });
  await expect.poll(() => stdin.isPaused()).toBe(true);
  expect(sent).toBeLessThan(count);
  isReading = true;
  unread();
  await expect.poll(() => answers, { timeout: 20_000 }).toBe(count + 1);
  stop.resolve();
  await serving;
});

it('vals mcp reads no more large calls while many are under way', async () => {
  const count = 20;
  const finish = withResolvers();
  let calls = 0;
  const line = (message: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  async function* messages() {
    yield line(initialize);
    const params = { name: 'me', arguments: { code: 'x'.repeat(3_000_000) } };
    for (let id = 1; id <= count; id++) yield line({ id, method: 'tools/call', params });
  }
  const stdin = Readable.from(messages());
  const serving = serveProtocol({
    version: '1.0.0',
    instructions: '',
    tools: [fakeTool],
    explainMissing: () => '',
    async call() {
      calls += 1;
      await finish.promise;
      return { document: {}, texts: [], isError: false };
    },
    stdin,
    stdout: new Writable({ write: (_message, _encoding, done) => done() }),
    editBeforeWriting: (message) => message,
    onError(error) {
      throw error;
    },
    signal: new AbortController().signal,
  });
  await expect.poll(() => stdin.isPaused()).toBe(true);
  await setImmediate();
  expect(calls).toBeLessThan(count);
  finish.resolve();
  await serving;
  expect(calls).toBe(count);
});

const fakeTool: Tool = {
  name: 'me',
  title: 'me',
  description: 'x'.repeat(10_000),
  inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

it('vals mcp answers 200 calls at once', async () => {
  const agent = await agentOnService();
  const calls = Array.from({ length: 200 }, () => agent.call('me'));
  const failed = (await Promise.all(calls)).filter(({ isError }) => isError);
  expect(failed).toEqual([]);
});
