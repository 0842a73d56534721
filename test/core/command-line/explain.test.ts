import { describe, expect, it } from 'vitest';
import { explain } from '../../../src/core/command-line/explain/explain.ts';
import type { ValsError } from '../../../src/core/errors.ts';
import type { Call } from '../../../src/core/http/call.ts';
import { outsideOfSpace, readOnlyMember, unknownToken } from '../../../src/core/http/problem-types.ts';
import { CallFailed, type Fault } from '../../../src/core/http/request/faults.ts';
import { hintList } from '../../../src/core/lib/hint.ts';
import * as routes from '../../../src/core/routes.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const hello = { id, word: 'hello' };
const status = (number: number, body?: unknown): Fault => ({ kind: 'status', status: number, body });
const lost: Fault = {
  kind: 'lost',
  trouble: { kind: 'error', at: 'service', code: 'EODD', message: 'odd' },
};

interface Failed {
  fault: Fault;
  call?: Call;
  href?: string;
  maybeApplied?: boolean;
}

const explained = ({ fault, call = routes.putVal('a', ''), href, maybeApplied }: Failed): ValsError =>
  explain(new CallFailed(call, fault, maybeApplied), {
    base: { origin: 'http://vals.example', href: href ?? 'http://vals.example' },
    proxy: () => undefined,
    signal: new AbortController().signal,
    redact: (text) => text,
    hasToken: true,
    signInHint: () => 'Sign in.',
  });

const hintOf = ({ facts }: ValsError): string =>
  hintList(facts.hint)
    .map((hint) => (typeof hint === 'string' ? hint : hint.parts.flat().join(' ')))
    .join(' ');

describe('a failed request', () => {
  const validation = {
    message: 'Request validation failed.',
    validation: [{ message: 'must be a string', instancePath: '/name' }],
  };
  const alert: Fault = {
    kind: 'rejected',
    trouble: { kind: 'tls', at: 'service', problem: 'expects https', reason: '' },
  };

  const plain: Fault = {
    kind: 'rejected',
    trouble: { kind: 'tls', at: 'service', problem: 'expects http', reason: '' },
  };

  it.each<[exit: number, says: string, hint: string, call: Call, fault: Fault]>([
    [4, 'There is no token for http://vals.example.', 'Sign in.', routes.me(), { kind: 'no token' }],
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
      routes.getVal(hello),
      status(404, { type: 'about:blank', detail: 'no' }),
    ],
    [
      3,
      'named hello. The service says: for a reason.',
      'To list your vals',
      routes.deleteVal(hello),
      status(404, 'for a reason'),
    ],
    [
      6,
      'Request validation failed: name must be a string.',
      'Change',
      routes.putVal('a', ''),
      status(400, validation),
    ],
    [3, 'This service does not support this command', 'To check the base URL', routes.myLikes(), status(405)],
    [3, 'This service does not support this command', 'To check the base URL', routes.me(), status(501)],
    [7, 'the server expects https', 'Use https://vals.example.', routes.putVal('a', ''), alert],
    [7, 'the server expects http, not https', 'Check the port', routes.me(), plain],
    [7, 'The service received too many requests.', 'Wait', routes.me(), status(429)],
    [7, 'The connection to http://vals.example was lost: odd.', 'Run the command again.', routes.me(), lost],
    [
      10,
      'The code contains your token',
      'Remove your token',
      routes.putVal('a', ''),
      { kind: 'secret', part: 'code' },
    ],
    [11, 'in the link to the next page', 'Do not trust', routes.myLikes(), { kind: 'secret in a link' }],
  ])('exit %d: %s', (exit, says, hint, call, fault) => {
    const error = explained({ call, fault });
    expect({ exit: error.exit, message: error.message, hint: hintOf(error) }).toEqual({
      exit,
      message: expect.stringContaining(says),
      hint: expect.stringContaining(hint),
    });
  });

  it.each([status(403), status(409)])('that may have been applied before says what to do: %j', (fault) => {
    const error = explained({ fault, maybeApplied: true });
    expect(error.exit).toBe(8);
    expect(error.message).toMatch(/\. It is not known whether the service made the change\.$/);
    expect(hintOf(error)).toContain('You can safely push again');
  });

  it('that may have made a val does not claim that another one would be refused', () => {
    const error = explained({
      call: routes.createVal({ name: 'a', code: '' }),
      fault: status(500),
      maybeApplied: true,
    });
    expect(error.exit).toBe(8);
    expect(error.facts.hint).toMatchObject({ parts: expect.arrayContaining([['val', 'get', 'a']]) });
  });

  it('with status 401 of `vals serve` names where its tokens come from', () => {
    const error = explained({ fault: status(401, { type: unknownToken }) });
    expect(hintList(error.facts.hint)).toMatchObject([
      'Sign in.',
      { parts: expect.arrayContaining([['token', 'add', '<name>']]) },
      { parts: expect.arrayContaining([['user', 'token', '<username>']]) },
    ]);
    expect(hintOf(explained({ fault: status(401) }))).toBe('Sign in.');
  });

  it('whose reply cannot be read does not claim that a change was made', () => {
    const error = explained({ fault: { kind: 'unreadable', status: 200, problem: 'not JSON' } });
    expect(error).toMatchObject({ exit: 11, message: expect.stringContaining('It is not known whether') });
  });

  it.each([
    [readOnlyMember, 'To get write access, ask'],
    [outsideOfSpace, 'Use the base URL of the space'],
    ['about:blank', 'Use a token that has the permission.'],
  ])('with status 403 and the type %s in a space: %s', (type, hint) => {
    const failed = {
      call: routes.getVal(hello),
      fault: status(403, { type }),
      href: 'http://vals.example/@acme',
    };
    expect(hintOf(explained(failed))).toContain(hint);
  });

  it.each([
    ['There is no space acme on http://vals.example, or you are not a member', routes.me()],
    ['There is no space acme on http://vals.example, or you are not a member', routes.putVal('a', '')],
    ['There is no val named hello.', routes.getVal(hello)],
  ])('with status 404 in a space: %s', (says, call) => {
    const error = explained({ call, fault: status(404), href: 'http://vals.example/@acme' });
    expect(error).toMatchObject({ exit: 3, message: expect.stringContaining(says) });
  });
});
