// What a status means, where by-route.ts has no sentence for it.

import * as errors from '../../errors.ts';
import { type Fault, meaningOf } from '../../http/request/faults.ts';
import { type Hints, hintList } from '../../lib/hint.ts';
import { isObject } from '../../lib/json.ts';
import * as problemTypes from '../../lib/problem-types.ts';
import { type Explained, failure, messageFor, messagesFor, requestFacts, withFullStop } from './service.ts';
import { serviceMessageOf } from './service-message.ts';

type FailedStatus = Explained<Extract<Fault, { kind: 'status' }>>;

const conflict = 'The request conflicts with the current state on the service';
const absent = 'The service does not have it';
const notDone = 'The service could not complete the request';

/** The beginning of a sentence, which what the service says follows. */
const beginnings: Record<number, string> = {
  401: 'The service does not accept the token',
  403: 'The token has no permission for the request',
  404: absent,
  408: notDone,
  409: conflict,
  410: absent,
  412: conflict,
  413: 'The request is too large for the service',
  429: 'The service received too many requests',
  503: 'The service is not available',
};

const beginningOf = (status: number): string =>
  beginnings[status] ?? (status >= 500 ? notDone : 'The service refused the request');

/** by-route.ts has the hints of a 404. */
function hintFor(failed: FailedStatus, detail: string | undefined): Hints {
  const { fault, service } = failed;
  switch (fault.status) {
    case 401:
      return service.signInHint();
    case 403:
      return hintForProblem(failed) ?? noPermission(failed);
    case 409:
    case 412:
      return 'Read the current state from the service. If you still want the change, run the command again.';
    case 413:
      return 'Split the val into smaller vals.';
    case 429:
      return waitHint(fault.retryAfterMs);
  }
  if (meaningOf(fault).FailsAs === errors.UnavailableError) return 'Run the command again later.';
  return detail === undefined
    ? 'Run the command again with --debug to see the request and the reply.'
    : 'Change the input as the message of the service says.';
}

export function statusError(failed: FailedStatus): errors.ValsError {
  const { fault, maybeApplied, service } = failed;
  const detail = serviceMessageOf(fault.body, service.redact);
  const sentence = sentenceFor(failed, detail);
  if (!service.hasToken && !maybeApplied && [401, 403, 404].includes(fault.status))
    return withoutToken(failed, sentence);
  const error = failure(failed, sentence, hintFor(failed, detail));
  if (error instanceof errors.NotFoundError) {
    const { subject, problem } = messagesFor(failed);
    Object.assign(error.facts, { subject, problem });
  }
  return error;
}

/** A val that everybody may read needs no token. Services answer 401, 403 or 404 for any other val. */
function withoutToken(failed: FailedStatus, sentence: string): errors.ValsError {
  const { base, signInHint } = failed.service;
  const facts = { ...requestFacts(failed), hint: signInHint() };
  return failed.fault.status === 404
    ? new errors.NotFoundError(`${sentence} Without a token, you see only what everybody may read.`, facts)
    : new errors.AuthError(`The service asks for a token, and there is none for ${base.origin}.`, facts);
}

/** What to do about the problems that the embedded service tells apart. */
const hintsForProblems: Record<string, Hints> = {
  [problemTypes.wrongHost]:
    'Check the base URL. If it is right, configure the proxy in front of the service to pass on the Host header. ' +
    'For nginx, the setting is `proxy_set_header Host $http_host;`.',
  [problemTypes.readOnlyMember]: 'To get write access, ask the person who runs the service.',
  [problemTypes.limitedToken]: [
    'Use a token without limits.',
    { text: 'To see the limits of this one', command: 'me' },
  ],
  [problemTypes.outsideOfSpace]: [
    'Use the base URL of the space, or another token.',
    { text: 'To see where the base URL comes from', command: 'config' },
  ],
};

const hintForProblem = ({ fault: { body } }: FailedStatus): Hints | undefined =>
  isObject(body) && typeof body.type === 'string' ? hintsForProblems[body.type] : undefined;

function noPermission({ call, service }: FailedStatus): Hints {
  const useOther = 'Use a token that has the permission.';
  // `vals me` would fail in the same way.
  if (call.route === 'me') return [useOther, ...hintList(service.signInHint())];
  return [useOther, { text: 'To see whose token you use', command: 'me' }];
}

const waitHint = (ms = 0): string =>
  `Wait ${ms > 5_000 ? `${Math.ceil(ms / 1_000)} s` : 'a little'}, then run the command again.`;

function sentenceFor(failed: FailedStatus, detail = ''): string {
  const { status, body } = failed.fault;
  // The embedded service gives the reason in a sentence of its own.
  if (hintForProblem(failed) !== undefined && detail !== '') return withFullStop(detail);
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const isTextOfStatus = detail.replace(/\.$/, '').toLowerCase() === STATUS_CODES[status]?.toLowerCase();
  const reason = isTextOfStatus ? '' : detail;
  const own = status === 412 ? lostCondition(failed) : messageFor(failed)?.sentence;
  if (!own) return withFullStop([beginningOf(status), reason].filter(Boolean).join(': '));
  // A problem of the type about:blank means nothing beyond its status, for which there is an own sentence.
  const isPlainProblem = isObject(body) && body.type === 'about:blank';
  return reason === '' || isPlainProblem ? own : `${own} The service says: ${withFullStop(reason)}`;
}

const lostCondition = ({ call }: FailedStatus): string | undefined =>
  call.ifMatch && 'The val was changed on the service after it was read.';
