// Turns the last fault of a call into the error that the user reads.
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
} from '../../errors.ts';
import { isLoopback } from '../../lib/host-names.ts';
import { isObject } from '../../lib/json.ts';
import { wrongHost } from '../../lib/problem-types.ts';
import type { Call } from '../call.ts';
import { notThisService, serviceMessageOf } from '../records.ts';
import type { Fault } from './attempt.ts';
import { isRead } from './retry.ts';

export interface FailureContext {
  origin: string;
  attempts: number;
  /** Whether the service may have applied the last attempt or an earlier attempt. */
  maybeApplied: boolean;
  signInHint: string;
  /** Removes the token. Call this before a text is cut: half of a token would not be recognized. */
  redact(text: string): string;
}

type StatusFault = Extract<Fault, { kind: 'status' }>;

/** The longest text from the service in an error, in characters. */
const longestBody = 2_000;

const checkAddress = (origin: string): string =>
  isLoopback(new URL(origin).hostname)
    ? 'Check that the service is running. `vals serve` starts the embedded one.'
    : 'Check the address and the network. `vals config` shows where the address comes from.';

export function failureOf(call: Call, fault: Fault, context: FailureContext): ValsError {
  const { method, path } = call;
  const { origin, attempts, maybeApplied, redact, signInHint } = context;
  const tries = attempts > 1 ? ` (${attempts} attempts)` : '';
  const factsWith = (hint: string): ErrorFacts => ({
    method,
    path,
    hint,
    ...('status' in fault && { status: fault.status }),
    ...('body' in fault && {
      body: typeof fault.body === 'string' ? redact(fault.body).slice(0, longestBody) : fault.body,
    }),
  });
  /** If the call has its own hint for the status, that hint replaces the given one. */
  const facts = (hint: string): ErrorFacts =>
    factsWith(('status' in fault && call.hints?.[fault.status]) || hint);

  /** Exit 7 promises that nothing was changed. If that is not certain, the exit code is 8. */
  function unavailable(message: string, hint: string): ValsError {
    if (!maybeApplied) return new UnavailableError(message, facts(hint));
    const faultHint = 'hint' in fault && fault.hint !== undefined ? `${fault.hint} ` : '';
    const check = call.ifUnknown ?? 'Check whether the change was made before you send it again.';
    return new UnknownOutcomeError(
      `${message} It is not known whether the change was made.`,
      factsWith(faultHint + check),
    );
  }

  function statusError({ status, body, retryAfterMs = 0 }: StatusFault): ValsError {
    const detail = serviceMessageOf(body, redact);
    const sentence = statusSentence(call, status, tries, detail);
    if (status === 408) return unavailable(sentence, 'Run the command again.');
    if (status === 429) return unavailable(sentence, waitHint(retryAfterMs));
    if (status >= 500 && status < 600) return unavailable(sentence, 'Run the command again later.');
    if (status >= 600) return new BadResponseError(sentence, facts(notThisService));

    // With these statuses the service refused the last attempt, so only an earlier attempt may have been applied.
    const message = maybeApplied
      ? `${sentence} The request was sent more than once, so the change may already have been made.`
      : sentence;
    switch (status) {
      case 401:
        return new AuthError(message, facts(signInHint));
      case 403:
        if (isObject(body) && body.type === wrongHost) {
          return new AuthError(detail ?? message, facts(passHostOn));
        }
        return new AuthError(
          message,
          facts('Use a token that has the permission. `vals me` shows whose token this is.'),
        );
      case 404:
      case 410:
        return new NotFoundError(
          message,
          facts('Check the id: there is nothing with this id, or it is not yours.'),
        );
      case 409:
      case 412:
        return new ConflictError(
          message,
          facts(
            'Read the current state from the service. Run the command again if you still want the change.',
          ),
        );
      default:
        return new RefusedError(message, facts(refusalHint(status, detail !== undefined)));
    }
  }

  switch (fault.kind) {
    case 'not_connected':
      return unavailable(
        `Could not connect to ${origin}${tries}: ${fault.reason}.`,
        fault.hint ?? checkAddress(origin),
      );
    case 'rejected':
      return unavailable(withFullStop(capitalised(fault.reason)), fault.hint);
    case 'tls_broken':
    case 'lost':
      return unavailable(
        `The connection to ${origin} was lost${tries}: ${fault.reason}.`,
        ('hint' in fault ? fault.hint : undefined) ?? 'Run the command again.',
      );
    case 'timed_out':
      return unavailable(`${origin} took too long${tries}: ${fault.reason}.`, 'Run the command again.');
    case 'unreadable':
    case 'unusable':
      return new BadResponseError(
        `${origin} ${fault.reason}.`,
        facts(
          isRead(method) || fault.status >= 300
            ? notThisService
            : `The status of the answer says that the change was made. ${call.ifUnknown ?? ''}`.trim(),
        ),
      );
    case 'status':
      return statusError(fault);
  }
}

const passHostOn =
  'Check the base URL. If it is right, the proxy of the service must pass on the Host header unchanged, in nginx with ' +
  '`proxy_set_header Host $http_host;`.';

const waitHint = (ms: number): string =>
  ms > 5_000
    ? `Wait ${Math.ceil(ms / 1_000)} s, then run the command again.`
    : 'Wait a little, then run the command again.';

function refusalHint(status: number, isExplained: boolean): string {
  if (status === 413) return 'Split it into smaller vals.';
  return isExplained
    ? 'Change the input as the service asks.'
    : 'Add --debug to see the request and the answer.';
}

const capitalised = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

const withFullStop = (sentence: string): string => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`);

/** Returns a sentence of vals about the status, followed by the service's message. */
function statusSentence(call: Call, status: number, tries: string, detail: string | undefined): string {
  const meaning = call.meanings?.[status];
  if (meaning === undefined) {
    const isRepeated = status === 401 && onlyRefusesToken.test(detail ?? '');
    const end = detail === undefined || isRepeated ? '.' : `: ${withFullStop(detail)}`;
    return defaultMeaning(status, detail !== undefined) + tries + end;
  }
  if (detail === undefined || addsNothing.test(detail)) return meaning;
  return `${meaning} The service says: ${withFullStop(detail)}`;
}

/** Matches messages of the service that add nothing to our own error message, such as "not found". */
const addsNothing = /\bnot found\b|\bno (?:such )?(?:val|version)\b|\bexists? already\b|\balready exists?\b/i;

/** Finds messages for status 401 that give no reason. */
const onlyRefusesToken = /^(?:this service does not know the token|unauthorized|invalid token)\.?$/i;

function defaultMeaning(status: number, isExplained: boolean): string {
  const meaning = defaultMeanings[status];
  if (meaning !== undefined) return meaning;
  if (status < 500) return `The service refused the request${isExplained ? '' : ' without a reason'}`;
  if (status < 600) return 'The service has a problem';
  return `The service answered with the unexpected status ${status}`;
}

const defaultMeanings: Record<number, string> = {
  401: 'The service does not accept the token',
  403: 'The token has no permission for this',
  404: 'The service has nothing at this address',
  408: 'The service did not receive the whole request in time',
  409: 'The service reports a conflict',
  410: 'The service no longer has anything at this address',
  412: 'The service reports a conflict',
  413: 'The service refused the request because it is too large',
  429: 'The service asks for fewer requests',
  503: 'The service is not available',
  504: 'The service took too long',
};
