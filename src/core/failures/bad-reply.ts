import type { Call } from '../http/call.ts';
import { type Fault, isRead, type UnusableReply } from '../http/request/faults.ts';
import { withFullStop } from '../lib/hint.ts';
import { isObject, type JsonValue } from '../lib/json.ts';
import { type Message, notThisService, type Service } from './service.ts';
import { serviceMessageOf } from './service-message.ts';

type BadReply = Extract<Fault, { kind: 'unreadable' | 'unusable' }>;

export function messageOfBadReply({ problem }: BadReply, { base, redact }: Service): Message {
  const what = typeof problem === 'string' ? `a reply that is ${problem}` : describe(problem, redact);
  return { sentence: withFullStop(`${base.origin} sent ${what}`), hint: notThisService };
}

/** The status of a success does not show that a write was done, if nobody can read its reply. */
export function mayHideChange({ method }: Call, fault: Fault): boolean {
  if (isRead(method) || !('problem' in fault) || fault.status >= 300) return false;
  return typeof fault.problem === 'string' || fault.problem.kind !== 'error';
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
