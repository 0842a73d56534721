import { type Fault, isRead } from '../../api/http/retry.ts';
import { notThisService } from '../../api/record-fields.ts';
import { BadResponseError } from '../../errors.ts';
import { type Hints, hintList } from '../../lib/hint.ts';
import { checkChange, type Explained, factsWithHint, withFullStop } from './service.ts';
import { serviceMessageOf } from './service-message.ts';

type BadReply = Extract<Fault, { kind: 'unreadable' | 'unusable' }>;

export function badReply(failed: Explained<BadReply>): BadResponseError {
  const { call, fault, service } = failed;
  const hasMadeChange = !isRead(call.method) && fault.status < 300;
  const hint = hasMadeChange ? changeMade(failed) : notThisService;
  const message = withFullStop(`${service.base.origin} ${whatCame(failed)}`);
  return new BadResponseError(message, factsWithHint(failed, hint));
}

const changeMade = (failed: Explained): Hints => [
  'The status code of the reply says that the service made the change.',
  ...hintList(checkChange(failed)),
];

function whatCame({ fault, service }: Explained<BadReply>): string {
  const { problem } = fault;
  if (problem === 'empty') return 'sent an empty reply';
  if (typeof problem === 'string') return `sent a reply that is ${problem}`;
  switch (problem.kind) {
    case 'redirect': {
      const target = problem.location === undefined ? '' : ` to ${problem.location}`;
      return `sent a redirect${target}, and vals does not follow redirects`;
    }
    case 'compressed':
      return `sent a compressed reply (${problem.encoding}), although the request did not ask for one`;
    case 'too large':
      return 'sent a reply larger than 64 MiB';
    case 'error': {
      const message = serviceMessageOf(problem.body, service.redact) ?? 'no reason was given';
      return `sent an error with the status ${fault.status}: ${message}`;
    }
  }
}
