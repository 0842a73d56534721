import { BadResponseError } from '../../errors.ts';
import type { Fault, UnusableReply } from '../../http/request/faults.ts';
import { isRead } from '../../http/request/retry.ts';
import { hintList } from '../../lib/hint.ts';
import { isObject, type JsonValue } from '../../lib/json.ts';
import { type Explained, factsWithHint, messagesFor, notThisService, withFullStop } from './service.ts';
import { serviceMessageOf } from './service-message.ts';

type BadReply = Extract<Fault, { kind: 'unreadable' | 'unusable' }>;

export function badReply(failed: Explained<BadReply>): BadResponseError {
  const { call, fault, service } = failed;
  const { problem } = fault;
  const what = typeof problem === 'string' ? `a reply that is ${problem}` : describe(problem, service.redact);
  const hasMadeChange = !isRead(call.method) && fault.status < 300;
  const hint = hasMadeChange
    ? [`By its status (${fault.status}), the change was made.`, ...hintList(messagesFor(failed).ifUnknown)]
    : notThisService;
  const message = withFullStop(`${service.base.origin} sent ${what}`);
  return new BadResponseError(message, factsWithHint(failed, hint));
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
