import type { ValsError } from '../../errors.ts';
import { type Fault, isRead, type UnusableReply } from '../../http/request/faults.ts';
import { isObject, type JsonValue } from '../../lib/json.ts';
import {
  type Explained,
  failure,
  messagesFor,
  notThisService,
  outcomeUnknown,
  withFullStop,
} from './service.ts';
import { serviceMessageOf } from './service-message.ts';

type BadReply = Extract<Fault, { kind: 'unreadable' | 'unusable' }>;

export function badReply(failed: Explained<BadReply>): ValsError {
  const { call, fault, service } = failed;
  const { problem, status } = fault;
  const what = typeof problem === 'string' ? `a reply that is ${problem}` : describe(problem, service.redact);
  const message = withFullStop(`${service.base.origin} sent ${what}`);
  const isAnswer = status >= 300 || (typeof problem === 'object' && problem.kind === 'error');
  if (isAnswer || isRead(call.method) || failed.maybeApplied) return failure(failed, message, notThisService);
  return failure(failed, `${message} ${outcomeUnknown}`, messagesFor(failed).ifUnknown);
}

function describe(problem: UnusableReply, redact: (text: string) => string): string {
  switch (problem.kind) {
    case 'redirect':
      return `a redirect to ${problem.location ?? 'nowhere'}, and vals does not follow redirects`;
    case 'compressed':
      return `a compressed reply (${problem.encoding}), although the request did not ask for one`;
    case 'too large':
      return 'a reply larger than 64 MiB';
    case 'error':
      return `an error with the status ${problem.status}: ${serviceMessageOf(problem.body, redact) ?? 'no reason was given'}`;
    case 'wrong shape':
      return `${kindOf(problem.found)} instead of ${problem.wanted}`;
  }
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array';
  if (isObject(value))
    return `an object with the keys ${Object.keys(value).slice(0, 5).join(', ') || '(none)'}`;
  return typeof value === 'string' || typeof value === 'number' ? `a ${typeof value}` : `${value}`;
}
