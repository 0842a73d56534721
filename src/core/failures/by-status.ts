// What a status means, where by-route.ts has no sentence of its own for it.

import type { Call } from '../http/call.ts';
import type { Fault } from '../http/request/faults.ts';
import * as problemTypes from '../http/request/faults.ts';
import { type Hints, hintList, sh, withFullStop } from '../lib/hint.ts';
import { isObject } from '../lib/json.ts';
import { messageByRoute } from './by-route.ts';
import { type Message, type Service, serviceMessageOf } from './service.ts';

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
  if (problem !== undefined)
    return { sentence: withFullStop(reason || wordsFor(status).beginning), hint: problem };
  const own = messageByRoute(call, status);
  const sentence = sentenceOf(fault, own.sentence, reason);
  // A val that everybody may read needs no token. Services answer 401, 403 or 404 for any other val.
  if (!service.hasToken && status === 404) {
    const withoutToken = `${sentence} Without a token, you see only what everybody may read.`;
    return { sentence: withoutToken, hint: service.signInHint() };
  }
  const hint = wordsFor(status).hint({ call, fault, service, hasReason: reason !== '' });
  return { hint, ...own, sentence };
}

function sentenceOf({ status, body }: Status, own: string | undefined, detail: string): string {
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const isTextOfStatus = detail.replace(/\.$/, '').toLowerCase() === STATUS_CODES[status]?.toLowerCase();
  const reason = isTextOfStatus ? '' : detail;
  if (!own) return withFullStop([wordsFor(status).beginning, reason].filter(Boolean).join(': '));
  // A problem of the type about:blank means nothing beyond its status, for which there is an own sentence.
  const isPlainProblem = isObject(body) && body.type === 'about:blank';
  return reason === '' || isPlainProblem ? own : `${own} The service says: ${withFullStop(reason)}`;
}

interface Words {
  /** The beginning of a sentence, which what the service says follows. */
  beginning: string;
  hint(about: About): Hints;
}

interface About {
  call: Call;
  fault: Status;
  service: Service;
  /** The service gave a reason. */
  hasReason: boolean;
}

const runLater = () => 'Run the command again later.';
const readFirst = () =>
  'Read the current state from the service. If you still want the change, run the command again.';
const changeInput = ({ hasReason }: About): Hints =>
  hasReason
    ? 'Change the input as the message of the service says.'
    : 'Run the command again with --debug to see the request and the reply.';

const absent: Words = { beginning: 'The service does not have it', hint: changeInput };
const otherState: Words = {
  beginning: 'The request conflicts with the current state on the service',
  hint: readFirst,
};
const notDone: Words = { beginning: 'The service could not complete the request', hint: runLater };
const refused: Words = { beginning: 'The service refused the request', hint: changeInput };

/** Any other status is `notDone` from 500 on, and `refused` below. */
const table: Record<number, Words> = {
  401: {
    beginning: 'The service does not accept the token',
    hint({ fault: { body }, service }) {
      const isServe = isObject(body) && body.type === problemTypes.unknownToken;
      return [...hintList(service.signInHint()), ...hintList(isServe ? tokensOfServe : '')];
    },
  },
  403: {
    beginning: 'The token has no permission for the request',
    hint({ call, service }) {
      const useOther = 'Use a token that has the permission.';
      // `vals me` would fail in the same way.
      if (call.route === 'me') return [useOther, ...hintList(service.signInHint())];
      return [useOther, sh`To see whose token you use, run ${['me']}.`];
    },
  },
  404: absent,
  408: notDone,
  409: otherState,
  410: absent,
  412: otherState,
  413: {
    beginning: 'The request is too large for the service',
    hint: () => 'Split the val into smaller vals.',
  },
  429: {
    beginning: 'The service received too many requests',
    hint({ fault: { retryAfterMs: ms = 0 } }) {
      return `Wait ${ms > 5_000 ? `${Math.ceil(ms / 1_000)} s` : 'a little'}, then run the command again.`;
    },
  },
  501: { ...notDone, hint: changeInput },
  503: { beginning: 'The service is not available', hint: runLater },
};

const wordsFor = (status: number): Words => table[status] ?? (status >= 500 ? notDone : refused);

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
