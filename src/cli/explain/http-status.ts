import type { Fault } from '../../api/http/retry.ts';
import { notThisService } from '../../api/record-fields.ts';
import {
  AuthError,
  BadResponseError,
  ConflictError,
  NotFoundError,
  RefusedError,
  type ValsError,
} from '../../errors.ts';
import { type Hints, hintList } from '../../lib/hint.ts';
import { isObject, type JsonValue } from '../../lib/json.ts';
import {
  limitedToken,
  outsideOfSpace,
  readOnlyMember,
  tooManyVals,
  wrongHost,
} from '../../lib/problem-types.ts';
import { type Explained, factsWithHint, unavailable, withFullStop } from './service.ts';
import { serviceMessageOf } from './service-message.ts';

type StatusFault = Extract<Fault, { kind: 'status' }>;
type FailedStatus = Explained<StatusFault>;

/** The beginning of a sentence, for routes that have no sentence of their own. */
const beginnings: Record<number, string> = {
  401: 'The service does not accept the token',
  403: 'The token has no permission for the request',
  404: 'The requested resource does not exist on the service',
  408: 'The service did not receive the whole request in time',
  409: 'The request conflicts with the current state on the service',
  410: 'The requested resource no longer exists on the service',
  412: 'The request conflicts with the current state on the service',
  413: 'The request is too large for the service',
  429: 'The service received too many requests',
  503: 'The service is not available',
  504: 'The service took too long to answer',
};

export function statusError(failed: FailedStatus): ValsError {
  const { call, fault, maybeApplied } = failed;
  const { status, retryAfterMs = 0 } = fault;
  const detail = serviceMessageOf(fault.body, failed.service.redact);
  const sentence = sentenceFor(failed, detail);
  if (status === 408) return unavailable(failed, sentence, 'Run the command again.');
  if (status === 429) return unavailable(failed, sentence, waitHint(retryAfterMs));
  if (status >= 600) return new BadResponseError(sentence, factsWithHint(failed, notThisService));
  if (status >= 500) return unavailable(failed, sentence, 'Run the command again later.');
  // An earlier attempt of this request may have changed the val itself. A val that was deleted would be a 404.
  const isConditional = call.ifMatch !== undefined || call.ifNoneMatch !== undefined;
  const mayBeOwnChange = maybeApplied && isConditional && call.route !== 'deleteVal';
  if (status === 412 && mayBeOwnChange) return unavailable(failed, sentence, readAgain);

  const message = maybeApplied
    ? `${sentence} The request was sent more than once, so the service may already have made the change.`
    : sentence;
  return refusal(failed, message, detail);
}

function refusal(failed: FailedStatus, message: string, detail: string | undefined): ValsError {
  const { call, fault, service } = failed;
  const { status, body } = fault;
  switch (status) {
    case 401:
      return new AuthError(message, factsWithHint(failed, service.signInHint()));
    case 403: {
      const type = isObject(body) ? body.type : undefined;
      // By such a type, the embedded service gives the reason in a sentence of its own.
      const hasReason = typeof type === 'string' && type.startsWith('urn:vals:');
      const hint = type === wrongHost ? passHostOn : permissionHint(failed, type);
      return new AuthError((hasReason && detail) || message, factsWithHint(failed, hint));
    }
    case 404:
    case 410: {
      const { subject, problem } = service.messagesFor(call);
      return new NotFoundError(message, { ...factsWithHint(failed, checkId), subject, problem });
    }
    case 409:
    case 412:
      return new ConflictError(message, factsWithHint(failed, readAgain));
    default:
      return new RefusedError(message, factsWithHint(failed, refusalHint(status, detail !== undefined)));
  }
}

const passHostOn =
  'Check the base URL. If it is right, configure the proxy in front of the service to pass on the Host header. ' +
  'For nginx, the setting is `proxy_set_header Host $http_host;`.';
const checkId = 'Check the id. The service has nothing with this id, or does not show it to you.';
const readAgain =
  'Read the current state from the service. If you still want the change, run the command again.';

function permissionHint({ call, service }: FailedStatus, problemType: JsonValue | undefined): Hints {
  if (problemType === readOnlyMember) return 'To get write access, ask the person who runs the service.';
  if (problemType === limitedToken)
    return ['Use a token without limits.', { text: 'To see the limits of this one', command: 'me' }];
  if (problemType === tooManyVals) {
    return [
      'Delete a val that is no longer needed, or ask the person who runs the service for more.',
      { text: 'To list the vals', command: 'ls' },
    ];
  }
  if (problemType === outsideOfSpace) {
    return [
      'Use the base URL of the space, or another token.',
      { text: 'To see where the base URL comes from', command: 'config' },
    ];
  }
  const useOther = 'Use a token that has the permission.';
  // `vals me` would fail in the same way.
  if (call.route === 'me') return [useOther, ...hintList(service.signInHint())];
  return [useOther, { text: 'To see whose token you use', command: 'me' }];
}

const waitHint = (ms: number): string =>
  ms > 5_000
    ? `Wait ${Math.ceil(ms / 1_000)} s, then run the command again.`
    : 'Wait a little, then run the command again.';

function refusalHint(status: number, isExplained: boolean): string {
  if (status === 413) return 'Split the val into smaller vals.';
  return isExplained
    ? 'Change the input as the message of the service says.'
    : 'Run the command again with --debug to see the request and the reply.';
}

function sentenceFor(failed: FailedStatus, detail: string | undefined): string {
  const { call, fault, service } = failed;
  const { status, body } = fault;
  const reason = saysMoreThanStatus(status, detail) ? detail : undefined;
  const conflict = status === 412 ? conditionSentence(call) : undefined;
  const { sentences, beginnings: ownBeginnings } = service.messagesFor(call);
  const own = conflict ?? sentences?.[status];
  if (own === undefined) return withReason(ownBeginnings?.[status] ?? beginningOf(status, reason), reason);
  // A problem of the type about:blank means nothing beyond its status, for which there is an own sentence.
  if (reason === undefined || isPlainProblem(body)) return own;
  return `${own} The service says: ${withFullStop(reason)}`;
}

function conditionSentence({ ifMatch, ifNoneMatch }: Explained['call']): string | undefined {
  if (ifMatch !== undefined) return 'The val was changed on the service after it was read.';
  return ifNoneMatch && 'Somebody created a val of that name on the service meanwhile.';
}

/** False for texts such as "Not Found", which HTTP itself has for the status. */
function saysMoreThanStatus(status: number, detail = ''): boolean {
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  return detail !== '' && detail.replace(/\.$/, '').toLowerCase() !== STATUS_CODES[status]?.toLowerCase();
}

const isPlainProblem = (body: unknown): boolean => isObject(body) && body.type === 'about:blank';

const withReason = (beginning: string, reason: string | undefined): string =>
  reason === undefined ? `${beginning}.` : `${beginning}: ${withFullStop(reason)}`;

function beginningOf(status: number, reason: string | undefined): string {
  const beginning = beginnings[status];
  if (beginning !== undefined) return beginning;
  if (status < 500)
    return `The service refused the request${reason === undefined ? ' and gave no reason' : ''}`;
  if (status < 600) return 'The service could not complete the request';
  return `The service answered with the unexpected status ${status}`;
}
