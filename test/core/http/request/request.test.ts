import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Call } from '../../../../src/core/http/call.ts';
import { openDispatcher } from '../../../../src/core/http/request/dispatcher.ts';
import { CallFailed } from '../../../../src/core/http/request/faults.ts';
import { createLimiter } from '../../../../src/core/http/request/limiter.ts';
import { createRequest } from '../../../../src/core/http/request/request.ts';
import * as routes from '../../../../src/core/routes.ts';
import { quickRetries } from '../../../support/clocks.ts';
import { type Reply, scriptedService, testToken } from '../../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const status = (number: number): Reply => ({ status: number });
const hangUp: Reply = (response) => void response.destroy();

async function requestTo(replies: readonly Reply[]) {
  const service = await scriptedService(replies);
  const { baseUrl } = service;
  const closing = new AbortController();
  const command = new AbortController();
  onTestFinished(() => closing.abort());
  const lines: string[] = [];
  const request = createRequest({
    base: { origin: baseUrl, href: baseUrl },
    token: testToken,
    userAgent: 'vals',
    open: await openDispatcher({ origin: baseUrl, proxy: undefined, signal: closing.signal }),
    limiter: createLimiter(1, new AbortController().signal),
    clock: quickRetries,
    deadlineMs: 60_000,
    signal: command.signal,
    trace: {
      write: (line) => void lines.push(line.replace(/ in \d+ ms/, '')),
      redact: (text) => text.replaceAll('secret', '***'),
    },
  });
  const failureOf = async (call: Call): Promise<CallFailed | undefined> => {
    try {
      await request(call);
      return undefined;
    } catch (error) {
      if (error instanceof CallFailed) return error;
      throw error;
    }
  };
  return { service, request, failureOf, command, lines };
}

const calls = {
  GET: routes.getVal(id),
  PUT: routes.putVal('hello', 'code'),
  POST: routes.createVersion(id, 'code'),
  DELETE: routes.deleteVal(id),
  'DELETE of a version': routes.deleteVersion(id, 1),
  'DELETE of another thing': routes.deleteToken('ci'),
};

it.each<[call: keyof typeof calls, replies: Reply[], end: 'done' | 'failed' | 'unknown']>([
  ['GET', [status(503), hangUp, status(429), status(500)], 'failed'],
  ['PUT', [hangUp, status(503), status(503), status(503)], 'unknown'],
  ['PUT', [hangUp, status(403)], 'unknown'],
  ['PUT', [status(429), status(403)], 'failed'],
  ['PUT', [status(422)], 'failed'],
  ['POST', [status(429), status(503), { status: 201, body: { id } }], 'done'],
  ['POST', [hangUp], 'unknown'],
  ['POST', [status(502)], 'unknown'],
  ['DELETE', [hangUp, status(404)], 'done'],
  ['DELETE of a version', [status(500), status(404)], 'done'],
  ['DELETE of another thing', [hangUp, status(404)], 'unknown'],
  ['DELETE', [hangUp, status(409)], 'unknown'],
  ['DELETE', [status(503), status(404)], 'failed'],
  ['DELETE', [status(404)], 'failed'],
])('%s that gets %j is %s after that many attempts', async (name, replies, end) => {
  const { service, failureOf } = await requestTo(replies);
  const failure = await failureOf(calls[name]);
  const ends = { done: undefined, failed: false, unknown: true };
  expect(failure?.maybeApplied).toBe(ends[end]);
  expect(service.requests).toHaveLength(replies.length);
  const keys = new Set(service.requests.map(({ headers }) => headers['idempotency-key']));
  expect(keys.size).toBe(1);
  expect(!keys.has(undefined)).toBe(name === 'POST');
});

describe('an interrupted write', () => {
  it('may have been applied if it was under way', async () => {
    const { failureOf, command } = await requestTo([() => command.abort()]);
    expect(await failureOf(calls.PUT)).toMatchObject({ fault: { kind: 'interrupted' }, maybeApplied: true });
  });

  it('was not applied if it was not sent yet', async () => {
    const { failureOf, command } = await requestTo([]);
    command.abort();
    expect(await failureOf(calls.PUT)).toMatchObject({ fault: { kind: 'interrupted' }, maybeApplied: false });
  });
});

it('a call leaves no listener on the signal of its command', async () => {
  const { request, failureOf, command } = await requestTo([{ body: { id } }, status(503), status(404)]);
  expect(await request(calls.GET)).toMatchObject({ status: 200 });
  expect(await failureOf(calls.GET)).toMatchObject({ fault: { status: 404 } });
  expect(getEventListeners(command.signal, 'abort')).toEqual([]);
});

it('the trace shows each attempt, and the first 2,000 characters of the body of an error', async () => {
  const { service, failureOf, lines } = await requestTo([
    { body: { id } },
    { status: 418, body: { message: 'short' } },
    { status: 403, body: `secret${'x'.repeat(9_999)}` },
  ]);
  for (let sent = 0; sent < 3; sent++) await failureOf(routes.myRuns({ error: true }));
  const asked = `> GET ${service.baseUrl}/v1/me/runs?error=true (attempt 1)`;
  const body = `***${'x'.repeat(1_997)}`;
  expect(lines).toEqual([asked, '< 200', asked, '< 418', '{"message":"short"}', asked, '< 403', body]);
});

it.each<[part: string | undefined, call: Call]>([
  ['code', routes.putVal('a', testToken)],
  ['name', routes.createVal({ name: testToken, code: '' })],
  ['query', routes.myRuns({ since: testToken })],
  ['query', { ...routes.myLikes(), query: new URLSearchParams({ [testToken]: '1' }) }],
  [undefined, routes.putVal('a', 'another-token')],
])('a call with the token in its %s is not sent', async (part, call) => {
  const { service, failureOf } = await requestTo([{ body: { id } }]);
  expect((await failureOf(call))?.fault).toEqual(part && { kind: 'secret', part });
  expect(service.requests).toHaveLength(part === undefined ? 1 : 0);
});
