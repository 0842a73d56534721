import { type ErrorFacts, type LocalError, UnknownOutcomeError, type ValsError } from '../../errors.ts';
import type { Call } from '../../http/call.ts';
import { type Fault, meaningOf } from '../../http/request/faults.ts';
import type { Hints } from '../../lib/hint.ts';
import { stringifyJson } from '../../lib/json.ts';
import type { BaseUrl } from '../../settings/base-url.ts';
import type { ProxyAddress } from '../../settings/proxy.ts';
import { routeMessages } from './by-route.ts';

/** What the sentences need to know about the service and the user. */
export interface Service {
  base: BaseUrl;
  proxy: ProxyAddress | undefined;
  signal: AbortSignal;
  hasToken: boolean;
  /** Built only if it is shown, because it reads settings that may be wrong. */
  signInHint(): Hints;
  /** The error of the embedded service, if its store failed. */
  storeFailure(status: number): LocalError | undefined;
  /** By the id of a val, what the user typed for it. */
  typedWords: ReadonlyMap<string, string>;
  redact(text: string): string;
}

/** A failed call and the service that it was sent to. */
export interface Explained<AnyFault extends Fault = Fault> {
  call: Call;
  fault: AnyFault;
  maybeApplied: boolean;
  service: Service;
}

export const notThisService: Hints = [
  'Check that the base URL belongs to a val service.',
  { text: 'To see the base URL', command: 'config' },
];

/** The error that the table names. If any attempt of a write may have been applied, the outcome is unknown. */
export function failure(failed: Explained, message: string, hint: Hints): ValsError {
  const { FailsAs } = meaningOf(failed.fault);
  if (!failed.maybeApplied) return new FailsAs(message, factsWithHint(failed, hint));
  return new UnknownOutcomeError(`${message} ${outcomeUnknown}`, {
    ...requestFacts(failed),
    hint: messagesFor(failed).ifUnknown,
  });
}

export const outcomeUnknown = 'It is not known whether the service made the change.';

export const messagesFor = ({ call, service }: Explained) => routeMessages(call, service.typedWords);

/** What by-route.ts says about the status. */
export function messageFor(failed: Explained) {
  const status = 'status' in failed.fault ? failed.fault.status : 0;
  const { absent, conflict, invalid } = messagesFor(failed);
  if (status === 409) return conflict;
  if (status === 400 || status === 422) return invalid;
  return status === 404 || status === 410 ? absent : undefined;
}

export const factsWithHint = (failed: Explained, hint: Hints): ErrorFacts => ({
  ...requestFacts(failed),
  hint: messageFor(failed)?.hint ?? hint,
});

export function requestFacts({ call: { method, path }, fault, service }: Explained): ErrorFacts {
  const status = 'status' in fault ? fault.status : undefined;
  const body = 'body' in fault ? bodyToKeep(fault.body, service.redact) : undefined;
  return { method, path, status, body, scope: meaningOf(fault).concerns };
}

const longestErrorBody = 65_536;
const longestBeginning = 2_000;

function bodyToKeep(body: unknown, redact: (text: string) => string): unknown {
  const text = typeof body === 'string' ? body : stringifyJson(body ?? '');
  if (typeof body !== 'string' && text.length <= longestErrorBody) return body;
  // The token goes first, because nobody would recognize a token that was cut in half.
  return redact(text).slice(0, longestBeginning);
}

export const withFullStop = (sentence: string): string =>
  /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
