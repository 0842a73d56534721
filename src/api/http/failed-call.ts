import {
  AuthError,
  BadResponseError,
  ConflictError,
  type ErrorFacts,
  NotFoundError,
  RefusedError,
  UnavailableError,
  UnknownOutcomeError,
  type ValsError,
  wrongHost,
} from '../../errors.ts';
import { type Hints, hintList } from '../../lib/hint.ts';
import { isLoopback } from '../../lib/host-names.ts';
import { isObject } from '../../lib/json.ts';
import type { Call } from '../call.ts';
import { notThisService } from '../records.ts';
import { type Fault, isRead } from './retry.ts';

interface FailedCall<AnyFault extends Fault = Fault> {
  call: Call;
  fault: AnyFault;
  maybeApplied: boolean;
  origin: string;
  signInHint: Hints;
  wordFor(id: string): string | undefined;
}

type StatusFault = Extract<Fault, { kind: 'status' }>;

export function failureOf(failed: FailedCall): ValsError {
  const { call, fault, origin } = failed;
  switch (fault.kind) {
    case 'not_connected':
      return unavailable(failed, `Could not connect to ${origin}: ${fault.reason}.`, checkAddress(origin));
    case 'rejected':
      return unavailable(failed, withFullStop(capitalised(fault.reason)));
    case 'lost':
      return unavailable(failed, `The connection to ${origin} was lost: ${fault.reason}.`);
    case 'timed_out':
      return unavailable(failed, `${origin} took too long: ${fault.reason}.`);
    case 'unreadable':
    case 'unusable': {
      const hasMadeChange = !isRead(call.method) && fault.status < 300;
      const hint = hasMadeChange ? changeMade(call) : notThisService;
      return new BadResponseError(withFullStop(`${origin} ${fault.reason}`), factsWithHint(failed, hint));
    }
    case 'status':
      return statusError({ ...failed, fault });
  }
}

const checkAddress = (origin: string): Hints =>
  isLoopback(new URL(origin).hostname)
    ? ['Check that the service is running.', { text: 'To start the embedded service', command: 'serve' }]
    : [
        'Check the address and the network.',
        { text: 'To see where the address comes from', command: 'config' },
      ];

const changeMade = (call: Call): Hints => [
  'The status code of the reply says that the service made the change.',
  ...hintList(checkChange(call)),
];

const checkChange = ({ ifUnknown }: Call): Hints =>
  ifUnknown ?? 'Before you send the change again, check whether the service made the change.';

function unavailable(
  failed: FailedCall,
  message: string,
  usualHint: Hints = 'Run the command again.',
): ValsError {
  const { call, fault, maybeApplied } = failed;
  const faultHint = 'hint' in fault ? fault.hint : undefined;
  if (!maybeApplied) return new UnavailableError(message, factsWithHint(failed, faultHint ?? usualHint));
  return new UnknownOutcomeError(`${message} It is not known whether the service made the change.`, {
    ...factsOf(failed),
    hint: [...hintList(faultHint), ...hintList(checkChange(call))],
  });
}

const factsWithHint = (failed: FailedCall, hint: Hints): ErrorFacts => {
  const { call, fault } = failed;
  const hintForStatus = 'status' in fault ? call.hints?.[fault.status] : undefined;
  return { ...factsOf(failed), hint: hintForStatus || hint };
};

function factsOf({ call: { method, path }, fault }: FailedCall): ErrorFacts {
  const status = 'status' in fault ? fault.status : undefined;
  const body = 'body' in fault ? fault.body : undefined;
  return { method, path, status, body };
}

function statusError(failed: FailedCall<StatusFault>): ValsError {
  const { call, fault, maybeApplied, signInHint } = failed;
  const { status, message: detail, body, retryAfterMs = 0 } = fault;
  const sentence = statusSentence(failed, detail);
  if (status === 408) return unavailable(failed, sentence);
  if (status === 429) return unavailable(failed, sentence, waitHint(retryAfterMs));
  if (status >= 600) return new BadResponseError(sentence, factsWithHint(failed, notThisService));
  if (status >= 500) return unavailable(failed, sentence, 'Run the command again later.');
  // An earlier attempt of this request may have changed the ETag itself.
  const isConditional = call.ifMatch !== undefined || call.ifNoneMatch !== undefined;
  const mayBeOwnChange = maybeApplied && call.method === 'PUT' && isConditional;
  if (status === 412 && mayBeOwnChange) return unavailable(failed, sentence);

  const message = maybeApplied
    ? `${sentence} The request was sent more than once, so the service may already have made the change.`
    : sentence;
  switch (status) {
    case 401:
      return new AuthError(message, factsWithHint(failed, signInHint));
    case 403:
      if (isObject(body) && body.type === wrongHost) {
        return new AuthError(detail ?? message, factsWithHint(failed, passHostOn));
      }
      return new AuthError(message, factsWithHint(failed, useOtherToken));
    case 404:
    case 410:
      return new NotFoundError(message, factsWithHint(failed, checkId));
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
const useOtherToken: Hints = [
  'Use a token that has the permission.',
  { text: 'To see whose token you use', command: 'me' },
];
const checkId = 'Check the id. The service has nothing with this id, or does not show it to you.';
const readAgain =
  'Read the current state from the service. If you still want the change, run the command again.';

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

function statusSentence(failed: FailedCall<StatusFault>, detail: string | undefined): string {
  const { call, fault, wordFor } = failed;
  if (fault.status === 412 && call.ifMatch !== undefined) return changedSinceRead;
  if (fault.status === 412 && call.ifNoneMatch !== undefined) return createdMeanwhile;
  const meaning = call.meanings?.((id) => wordFor(id) ?? id)[fault.status];
  if (meaning === undefined) return defaultSentence(failed, detail);
  if (detail === undefined || onlyRepeatsMeaning.test(detail)) return meaning;
  return `${meaning} The service says: ${withFullStop(detail)}`;
}

const changedSinceRead = 'The val was changed on the service after it was read.';
const createdMeanwhile = 'Somebody created a val of that name on the service meanwhile.';

const onlyRepeatsMeaning =
  /\bnot found\b|\bno (?:such )?(?:val|version)\b|\bexists? already\b|\balready exists?\b/i;

function defaultSentence(failed: FailedCall<StatusFault>, detail: string | undefined): string {
  const { status } = failed.fault;
  const beginning = defaultMeaning(status, detail !== undefined);
  const repeatsBeginning = status === 401 && detail !== undefined && onlyRefusesToken.test(detail);
  if (detail === undefined || repeatsBeginning) return `${beginning}.`;
  return `${beginning}: ${withFullStop(detail)}`;
}

const onlyRefusesToken = /^(?:this service does not know the token|unauthorized|invalid token)\.?$/i;

function defaultMeaning(status: number, isExplained: boolean): string {
  const meaning = defaultMeanings[status];
  if (meaning !== undefined) return meaning;
  if (status < 500) return `The service refused the request${isExplained ? '' : ' and gave no reason'}`;
  if (status < 600) return 'The service could not complete the request';
  return `The service answered with the unexpected status ${status}`;
}

const defaultMeanings: Record<number, string> = {
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

const capitalised = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

const withFullStop = (sentence: string): string => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`);
