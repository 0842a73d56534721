// What a status means, where by-route.ts has no sentence for it.

import { UnavailableError } from '../errors.ts';
import type { Call } from '../http/call.ts';
import * as problemTypes from '../http/problem-types.ts';
import { type Fault, meaningOf } from '../http/request/faults.ts';
import { type Hints, hintList, sh, withFullStop } from '../lib/hint.ts';
import { isObject } from '../lib/json.ts';
import { messageByRoute } from './by-route.ts';
import type { Message, Service } from './service.ts';
import { serviceMessageOf } from './service-message.ts';

type Status = Extract<Fault, { kind: 'status' }>;

export function messageOfStatus(call: Call, fault: Status, service: Service): Message {
  const { status, body } = fault;
  const reason = serviceMessageOf(body, service.redact) ?? '';
  if (!service.hasToken && [401, 403].includes(status)) {
    const sentence = `The service asks for a token, and there is none for ${service.base.origin}.`;
    return { sentence, hint: service.signInHint() };
  }
  const problem = isObject(body) ? hintsForProblems[`${body.type}`] : undefined;
  // The embedded service gives the reason in a sentence of its own.
  if (problem !== undefined) return { sentence: withFullStop(reason || beginningOf(status)), hint: problem };
  const own = messageByRoute(call, status);
  const sentence = sentenceOf(fault, own.sentence, reason);
  // A val that everybody may read needs no token. Services answer 401, 403 or 404 for any other val.
  if (!service.hasToken && status === 404) {
    const withoutToken = `${sentence} Without a token, you see only what everybody may read.`;
    return { sentence: withoutToken, hint: service.signInHint() };
  }
  return { hint: hintOf(call, fault, { service, hasReason: reason !== '' }), ...own, sentence };
}

function sentenceOf({ status, body }: Status, own: string | undefined, detail: string): string {
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const isTextOfStatus = detail.replace(/\.$/, '').toLowerCase() === STATUS_CODES[status]?.toLowerCase();
  const reason = isTextOfStatus ? '' : detail;
  if (!own) return withFullStop([beginningOf(status), reason].filter(Boolean).join(': '));
  // A problem of the type about:blank means nothing beyond its status, for which there is an own sentence.
  const isPlainProblem = isObject(body) && body.type === 'about:blank';
  return reason === '' || isPlainProblem ? own : `${own} The service says: ${withFullStop(reason)}`;
}

const absentThing = 'The service does not have it';
const otherState = 'The request conflicts with the current state on the service';
const notDone = 'The service could not complete the request';

/** The beginning of a sentence, which what the service says follows. */
const beginnings: Record<number, string> = {
  401: 'The service does not accept the token',
  403: 'The token has no permission for the request',
  404: absentThing,
  408: notDone,
  409: otherState,
  410: absentThing,
  412: otherState,
  413: 'The request is too large for the service',
  429: 'The service received too many requests',
  503: 'The service is not available',
};

const beginningOf = (status: number): string =>
  beginnings[status] ?? (status >= 500 ? notDone : 'The service refused the request');

function hintOf(
  { route }: Call,
  fault: Status,
  { service, hasReason }: { service: Service; hasReason: boolean },
): Hints {
  const { status, body } = fault;
  switch (status) {
    case 401: {
      const isServe = isObject(body) && body.type === problemTypes.unknownToken;
      return [...hintList(service.signInHint()), ...hintList(isServe ? tokensOfServe : '')];
    }
    case 403: {
      const useOther = 'Use a token that has the permission.';
      // `vals me` would fail in the same way.
      if (route === 'me') return [useOther, ...hintList(service.signInHint())];
      return [useOther, sh`To see whose token you use, run ${['me']}.`];
    }
    case 409:
    case 412:
      return 'Read the current state from the service. If you still want the change, run the command again.';
    case 413:
      return 'Split the val into smaller vals.';
    case 429: {
      const { retryAfterMs: ms = 0 } = fault;
      return `Wait ${ms > 5_000 ? `${Math.ceil(ms / 1_000)} s` : 'a little'}, then run the command again.`;
    }
  }
  if (meaningOf(fault).FailsAs === UnavailableError) return 'Run the command again later.';
  return hasReason
    ? 'Change the input as the message of the service says.'
    : 'Run the command again with --debug to see the request and the reply.';
}

/** What to do about the problems that the embedded service tells apart. */
const hintsForProblems: Record<string, Hints> = {
  [problemTypes.wrongHost]:
    'Check the base URL. If it is right, start the service with --public-url and that URL, or configure the proxy in front of ' +
    'it to pass on the Host header. For nginx, the setting is `proxy_set_header Host $http_host;`.',
  [problemTypes.readOnlyMember]: 'To get write access, ask the person who runs the service.',
  [problemTypes.limitedToken]: [
    'Use a token without limits.',
    sh`To see the limits of this one, run ${['me']}.`,
  ],
  [problemTypes.outsideOfSpace]: [
    'Use the base URL of the space, or another token.',
    sh`To see where the base URL comes from, run ${['config']}.`,
  ],
};

/** Where `vals serve` hands out its tokens. */
const tokensOfServe: Hints = [
  sh`To make another token where you are signed in, run ${['token', 'add', '<name>']}.`,
  sh`To replace a lost token on the machine of the service, run ${['user', 'token', '<username>']}.`,
];
