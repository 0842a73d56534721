// From a fault that stays to the error a user reads: its kind, what happened, what to do next.
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
import { isObject } from '../../lib/json.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { wrongHost } from '../../lib/wrong-host.ts';
import type { Call } from '../call.ts';
import { messageOf } from '../records.ts';
import { type Fault, isRead } from './retry.ts';

export interface Circumstances {
  origin: string;
  attempts: number;
  /** Whether any attempt may have been applied, not only the last. */
  maybeApplied: boolean;
  signInHint: string;
  /** Takes the token out: before a text is cut, or half of the token would stay. */
  redact(text: string): string;
}

/** Of a text that the service sent, what is shown. */
const longestBody = 2_000;

const checkAddress = (origin: string): string =>
  isLoopback(new URL(origin).hostname)
    ? 'Nothing answers there: see that the service runs. `vals serve` starts the embedded one.'
    : 'Check the address and the network; `vals config` shows where the address comes from.';

export function failureOf(call: Call, fault: Fault, circumstances: Circumstances): ValsError {
  const { method, path } = call;
  const { origin, maybeApplied, redact } = circumstances;
  const tries = circumstances.attempts > 1 ? ` (${circumstances.attempts} attempts)` : '';
  const facts = (hint: string): ErrorFacts => ({
    method,
    path,
    hint: ('status' in fault && call.hints?.[fault.status]) || hint,
    ...('status' in fault && { status: fault.status }),
    ...('body' in fault && {
      body: typeof fault.body === 'string' ? redact(fault.body).slice(0, longestBody) : fault.body,
    }),
  });
  /** Exit 7 promises that nothing was changed, so it is said only where that is sure. */
  const unavailable = (message: string, hint: string): ValsError =>
    maybeApplied
      ? new UnknownOutcomeError(`${message} It is not known whether the change was made.`, {
          ...facts(''),
          hint: [
            'hint' in fault ? fault.hint : undefined,
            call.ifUnknown ?? 'Look at what is there before you send it again.',
          ]
            .filter(Boolean)
            .join(' '),
        })
      : new UnavailableError(message, facts(hint));

  switch (fault.kind) {
    case 'not_connected':
      return unavailable(
        `Could not connect to ${origin}${tries}: ${fault.reason}.`,
        fault.hint ?? checkAddress(origin),
      );
    case 'barred':
      return unavailable(ended(capitalised(fault.reason)), fault.hint);
    case 'tls_broken':
    case 'lost':
      return unavailable(
        `The connection to ${origin} was lost${tries}: ${fault.reason}.`,
        ('hint' in fault ? fault.hint : undefined) ?? 'Run it again.',
      );
    case 'timed_out':
      return unavailable(`${origin} took too long${tries}: ${fault.reason}.`, 'Run it again.');
    case 'unreadable':
    case 'senseless':
      return new BadResponseError(
        `${origin} ${fault.reason}.`,
        facts(
          isRead(method) || fault.status >= 300
            ? 'Check that the base URL is that of a val service: `vals config` shows it.'
            : `By its status the change was made. ${call.ifUnknown ?? ''}`.trim(),
        ),
      );
    case 'status':
      return statusError();
  }

  function statusError(): ValsError {
    const { status, body, retryAfterMs = 0 } = fault as Extract<Fault, { kind: 'status' }>;
    const message =
      sentenceOf(call, status, tries, messageOf(body, redact)) +
      (maybeApplied && status < 500 ? ' An earlier attempt may have been applied.' : '');
    switch (status) {
      case 401:
        return new AuthError(message, facts(circumstances.signInHint));
      case 403:
        if (isObject(body) && body.type === wrongHost) {
          return new AuthError(messageOf(body, redact) ?? message, facts(passHostOn));
        }
        return new AuthError(
          message,
          facts('Use a token that may do this: `vals me` shows whose the token in force is.'),
        );
      case 404:
      case 410:
        return new NotFoundError(message, facts('It does not exist, or it is not yours: check the id.'));
      case 409:
      case 412:
        return new ConflictError(message, facts('See what is there now, then decide.'));
      case 408:
        return unavailable(message, 'Run it again.');
      case 429:
        return unavailable(message, waitHint(retryAfterMs));
    }
    if (status >= 400 && status < 500) {
      const isExplained = messageOf(body, redact) !== undefined;
      return new RefusedError(message, facts(refusalHint(status, isExplained)));
    }
    if (status >= 500 && status < 600) return unavailable(message, 'Run it again later.');
    return new BadResponseError(
      message,
      facts('Check that the base URL is that of a val service: `vals config` shows it.'),
    );
  }
}

const passHostOn =
  'Check the base URL. If it is right, the proxy of the service has to pass Host on as it came: nginx does so with ' +
  '`proxy_set_header Host $http_host;`.';

/** A service that asks for a second or two is not worth a number. */
const waitHint = (ms: number): string =>
  ms > 5_000 ? `Wait ${Math.ceil(ms / 1_000)} s, then run it again.` : 'Wait a little, then run it again.';

function refusalHint(status: number, isExplained: boolean): string {
  if (status === 413) return 'Make it smaller, or make several of it.';
  return isExplained ? 'Change the input as the service asks.' : '--debug shows what was sent and answered.';
}

const capitalised = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
/** What it means to a person, then what the service itself says of it. */
function sentenceOf(call: Call, status: number, tries: string, detail: string | undefined): string {
  const known = call.meanings?.[status];
  if (known === undefined)
    return `${meaningOf(status, detail)}${tries}${detail ? `: ${ended(detail)}` : '.'}`;
  const saysMore = detail && !sameAgain.test(detail);
  return `${known}${saysMore ? ` The service says: ${ended(detail)}` : ''}`;
}

/** What services say of what is absent, or there already: our sentence says that much. */
const sameAgain = /\bnot found\b|\bno (?:such )?(?:val|version)\b|\bexists? already\b|\balready exists?\b/i;

function meaningOf(status: number, detail: string | undefined): string {
  const known = meanings[status];
  if (known !== undefined) return known;
  if (status >= 400 && status < 500) return `The service refused it${detail ? '' : ' and does not say why'}`;
  if (status >= 500 && status < 600) return 'The service has a problem';
  return `The service answered with the status ${status}, which makes no sense here`;
}

const meanings: Record<number, string> = {
  401: 'The service does not accept the token',
  403: 'The token may not do this',
  404: 'The service has nothing there',
  408: 'The service did not get all of it in time',
  409: 'The service has something else in its place',
  410: 'The service has it no longer',
  412: 'The service has something else in its place',
  413: 'The service refused it as too large',
  429: 'The service asks for fewer requests',
  503: 'The service is not available',
  504: 'The service took too long',
};

const ended = (sentence: string): string => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`);
