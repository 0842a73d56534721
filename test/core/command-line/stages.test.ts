// Each stage of the way of a request, with a fake `next`.
import { describe, expect, it } from 'vitest';
import { explain } from '../../../src/core/command-line/explain/explain.ts';
import { InterruptedError, ValsError } from '../../../src/core/errors.ts';
import { remember } from '../../../src/core/find-val/remember.ts';
import { noSeenVals } from '../../../src/core/find-val/seen-vals.ts';
import type { Call, Reply, Request, RequestStage } from '../../../src/core/http/call.ts';
import { refuseSecrets } from '../../../src/core/http/refuse-secrets.ts';
import { CallFailed, type Fault } from '../../../src/core/http/request/faults.ts';
import { createGate } from '../../../src/core/http/request/gate.ts';
import { mayHaveBeenApplied } from '../../../src/core/http/request/retry.ts';
import { retrying } from '../../../src/core/http/request/retrying.ts';
import { tracing } from '../../../src/core/http/request/tracing.ts';
import { hintList } from '../../../src/core/lib/hint.ts';
import { outsideOfSpace, readOnlyMember } from '../../../src/core/lib/problem-types.ts';
import * as routes from '../../../src/core/routes.ts';
import { quickRetries } from '../../support/clocks.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const done: Reply = { status: 200, body: { id } };
const status = (number: number, body?: unknown): Fault => ({ kind: 'status', status: number, body });
const lost: Fault = {
  kind: 'lost',
  trouble: { kind: 'error', at: 'service', code: 'ECONNRESET', message: '' },
};
const refused: Fault = { ...lost, kind: 'not_connected' };

/** Answers with these replies and faults, one after the other. */
function fake(...results: (Reply | Fault)[]) {
  const calls: Call[] = [];
  const next: Request = async (call) => {
    calls.push(call);
    const result = results.shift() ?? done;
    if ('kind' in result) throw new CallFailed(call, result, mayHaveBeenApplied(call.method, result));
    return result;
  };
  return { next, calls };
}

const failure = async (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(() => undefined).catch((error) => error);

describe('retrying', () => {
  const stage = (signal = new AbortController().signal): RequestStage =>
    retrying({
      clock: quickRetries,
      deadlineMs: 60_000,
      gate: createGate('auto', quickRetries, signal),
      signal,
    });

  it.each<[method: string, faults: Fault[], attempts: number, maybeApplied: boolean | undefined]>([
    ['GET', [status(503), lost, refused], 4, undefined],
    ['PUT', [lost, status(503), status(503), status(503)], 4, true],
    ['POST', [refused, status(429)], 3, undefined],
    ['POST', [lost], 1, true],
    ['PUT', [status(422)], 1, false],
    ['DELETE', [lost, status(404)], 2, undefined],
    ['DELETE', [lost, status(409)], 2, true],
    ['DELETE', [status(503), status(404)], 2, false],
    ['DELETE', [status(404)], 1, false],
  ])('of %s after %j: %d attempts, maybe applied: %s', async (method, faults, attempts, maybeApplied) => {
    const { next, calls } = fake(...faults);
    const error = await failure(stage()(next)({ ...routes.getVal(id), method }));
    expect(calls.map((call) => call.attempt?.number)).toEqual(
      Array.from({ length: attempts }, (_, i) => i + 1),
    );
    expect(error instanceof CallFailed ? error.maybeApplied : error).toBe(maybeApplied);
    expect(new Set(calls.map((call) => call.attempt?.idempotencyKey)).size).toBe(1);
    expect(calls[0]?.attempt?.idempotencyKey !== undefined).toBe(method === 'POST');
  });

  it('ends as interrupted, and says whether an attempt may have been applied', async () => {
    for (const fault of [lost, refused]) {
      const controller = new AbortController();
      const next: Request = async (call) => {
        controller.abort(new InterruptedError(130));
        throw new CallFailed(call, fault);
      };
      const sent = stage(controller.signal)(next)(routes.putVal('a', '1'));
      expect(await failure(sent)).toMatchObject({
        fault: { kind: 'interrupted' },
        maybeApplied: fault === lost,
      });
    }
  });
});

it('tracing shows each attempt, and the first 2,000 characters of the body of an error', async () => {
  const lines: string[] = [];
  const stage = tracing({
    base: { href: 'http://vals.example/base' },
    clock: { ...quickRetries, now: () => 0 },
    trace: (line) => lines.push(line),
    redact: (text) => text.replaceAll('secret', '***'),
  });
  const call = {
    ...routes.myRuns({ error: true }),
    attempt: { number: 2, limitMs: 1, idempotencyKey: undefined },
  };
  const request = stage(
    fake(done, status(418, { message: 'short' }), status(500, `secret${'x'.repeat(9_999)}`), lost).next,
  );
  for (let sent = 0; sent < 4; sent++) await failure(request(call));
  const asked = '> GET http://vals.example/base/v1/me/runs?error=true (attempt 2)';
  const body = `***${'x'.repeat(1_997)}`;
  expect(lines).toEqual([
    ...[asked, '< 200 in 0 ms'],
    ...[asked, '< 418 in 0 ms', '{"message":"short"}'],
    ...[asked, '< 500 in 0 ms', body],
    ...[asked, '< lost {"kind":"error","at":"service","code":"ECONNRESET","message":""} in 0 ms'],
  ]);
});

it.each<[part: string | undefined, call: Call]>([
  ['code', routes.putVal('a', 'the-token')],
  ['name', routes.createVal({ name: 'the-token', code: '' })],
  ['query', routes.searchVals('the-token')],
  ['query', { ...routes.myLikes(), query: new URLSearchParams({ 'the-token': '1' }) }],
  [undefined, routes.putVal('a', 'the-other')],
])('refuseSecrets finds the token in the %s', async (part, call) => {
  const { next, calls } = fake();
  const error = await failure(refuseSecrets('the-token')(next)(call));
  expect(error instanceof CallFailed ? error.fault : undefined).toEqual(part && { kind: 'secret', part });
  expect(calls).toHaveLength(part === undefined ? 1 : 0);
});

it('remember notes the vals of replies, and drops those that are gone', async () => {
  const noted: unknown[] = [];
  const seen = {
    ...noSeenVals,
    note: (val: { id: string }) => void noted.push(val.id),
    noteMe: (me: string) => void noted.push(`me ${me}`),
    drop: (gone: string) => void noted.push(`no ${gone}`),
  };
  const val = { id, name: 'a' };
  const ok = (body: Reply['body']): Reply => ({ status: 200, body });
  const { next } = fake(
    ok({ id: 'u' }),
    ok(val),
    ok({ ...val, id: 'other' }),
    ok({ data: [val] }),
    status(410),
    status(404),
  );
  const request = remember(seen)(next);
  for (const call of [routes.me(), routes.putVal('a', ''), routes.getVal(id), routes.userVals('u')])
    await request(call);
  await failure(request(routes.getVal('b')));
  await failure(request(routes.getVersion(id, 1)));
  expect(noted).toEqual(['me u', id, id, 'no b']);
});

describe('explain', () => {
  const base = (href = 'http://vals.example') => ({ origin: 'http://vals.example', href });
  const explained = async (call: Call, faults: Fault[], href?: string): Promise<ValsError> => {
    const stage = explain({
      base: base(href),
      proxy: undefined,
      signal: new AbortController().signal,
      redact: (text) => text,
      hasToken: true,
      storeFailure: () => undefined,
      typedWords: new Map([[id, 'hello']]),
      signInHint: () => 'Sign in.',
    });
    const error = await failure(stage(fake(...faults).next)(call));
    if (!(error instanceof ValsError)) throw new Error('no error of vals');
    return error;
  };
  const hintOf = ({ facts }: ValsError): string =>
    hintList(facts.hint)
      .map(({ text }) => text)
      .join(' ');
  const validation = {
    message: 'Request validation failed.',
    validation: [{ message: 'must be a string', instancePath: '/name' }],
  };
  const alert: Fault = {
    kind: 'rejected',
    trouble: { kind: 'tls', at: 'service', problem: 'expects https', reason: '' },
  };

  it.each<[exit: number, says: string, hint: string, call: Call, fault: Fault]>([
    [4, 'There is no token for http://vals.example.', 'Sign in.', routes.me(), { kind: 'no_token' }],
    [
      4,
      'The token has no permission for the request.',
      'Use a token that has the permission. Sign in.',
      routes.me(),
      status(403),
    ],
    [
      3,
      'There is no val named hello.',
      'To list your vals',
      routes.getVal(id),
      status(404, { type: 'about:blank', detail: 'no' }),
    ],
    [
      3,
      'named hello. The service says: for a reason.',
      'To list your vals',
      routes.deleteVal(id),
      status(404, 'for a reason'),
    ],
    [
      6,
      'Request validation failed: name must be a string.',
      'Change',
      routes.putVal('a', ''),
      status(400, validation),
    ],
    [7, 'the server expects https', 'Use https://vals.example.', routes.putVal('a', ''), alert],
    [7, 'The service received too many requests.', 'Wait', routes.me(), status(429)],
    [
      7,
      'The connection to http://vals.example was lost: odd.',
      'Run the command again.',
      routes.me(),
      { kind: 'lost', trouble: { kind: 'error', at: 'service', code: 'EODD', message: 'odd' } },
    ],
    [8, 'not known whether the service made the change.', 'safely push again', routes.putVal('a', ''), lost],
    [
      5,
      'Somebody created a val of that name',
      'Read the',
      { ...routes.putVal('a', ''), ifNoneMatch: '*' },
      status(412),
    ],
    [
      10,
      'The code contains your token',
      'Remove your token',
      routes.putVal('a', ''),
      { kind: 'secret', part: 'code' },
    ],
    [
      11,
      'in the link to the next page',
      'Do not trust',
      { ...routes.myLikes(), isLink: true },
      { kind: 'secret', part: 'query' },
    ],
  ])('exit %d: %s', async (exit, says, hint, call, fault) => {
    const error = await explained(call, [fault]);
    expect({ exit: error.exit, message: error.message, hint: hintOf(error) }).toEqual({
      exit,
      message: expect.stringContaining(says),
      hint: expect.stringContaining(hint),
    });
  });

  it.each([
    [readOnlyMember, 'To get write access, ask'],
    [outsideOfSpace, 'Use the base URL of the space'],
    ['about:blank', 'Use a token that has the permission.'],
  ])('a 403 of the type %s in a space: %s', async (type, hint) => {
    const error = await explained(routes.getVal(id), [status(403, { type })], 'http://vals.example/@acme');
    expect(hintOf(error)).toContain(hint);
  });

  it.each<[exit: number, says: string, ofMe: Reply | Fault]>([
    [3, 'There is no space acme on http://vals.example, or you are not a member', status(404)],
    [3, 'There is no val named hello.', done],
    [4, 'The service does not accept the token.', status(401)],
  ])('a 404 in a space asks whether the space exists: exit %d, %s', async (exit, says, ofMe) => {
    const results = [status(404), ofMe] as Fault[];
    const error = await explained(routes.getVal(id), results, 'http://vals.example/@acme');
    expect(error).toMatchObject({ exit, message: expect.stringContaining(says) });
  });
});
