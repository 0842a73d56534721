// What the service answers when it refuses or fails: RFC 9457 problem details.
import { STATUS_CODES } from 'node:http';
import { DatabaseFailure } from './database/database.ts';
import type { Answer } from './request.ts';

interface ProblemFacts {
  /** The field of the body, or the parameter of the query, that was refused. */
  field?: string;
  headers?: Record<string, string>;
}

export class Problem extends Error {
  readonly status: number;
  readonly facts: ProblemFacts;

  constructor(status: number, detail: string, facts: ProblemFacts = {}) {
    super(detail);
    this.status = status;
    this.facts = facts;
  }
}

const problemType = 'application/problem+json';

export function problemText({ status, message, facts: { field } }: Problem): string {
  return JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail: message,
    // Where most clients look first.
    message,
    ...(field && { errors: [{ field, message }] }),
  });
}

export function problemAnswer(error: Error): Answer {
  const problem = error instanceof Problem ? error : hidden(error);
  return { status: problem.status, headers: problemHeaders(problem), body: problemText(problem) };
}

/** Some clients repeat a request after any 409 or 5xx, unless they are told not to. */
export function problemHeaders({ status, facts }: Problem): Record<string, string> {
  const isCuredByTime = status === 408 || status === 429 || (status >= 500 && status !== 507);
  return {
    'Content-Type': problemType,
    ...(!isCuredByTime && { 'x-should-retry': 'false' }),
    ...facts.headers,
  };
}

/** What happened inside stays inside; the status tells whether to try again. */
function hidden(error: Error): Problem {
  if (!(error instanceof DatabaseFailure)) return new Problem(500, 'The service failed to answer.');
  const { kind, maybeWritten } = error;
  const retryAfter = (seconds: number) => ({ headers: { 'Retry-After': `${seconds}` } });
  if (kind === 'gone') {
    // A person has to mend it, so it is of no use to ask again soon.
    const detail = 'The store was removed or replaced; start the service again.';
    return new Problem(maybeWritten ? 500 : 503, detail, retryAfter(60));
  }
  if (maybeWritten)
    return new Problem(500, 'The store was lost while it wrote: it may have done so, or not.');
  switch (kind) {
    case 'busy':
      return new Problem(503, 'Another program is writing to the store.', retryAfter(1));
    case 'unreachable':
      return new Problem(503, 'The store cannot be reached at the moment.', retryAfter(1));
    case 'full':
      return new Problem(507, 'No space is left for the store.');
    case 'orphaned':
      return unauthorized('The person with this token was removed.');
    default:
      return new Problem(500, 'The store could not be read or written.');
  }
}

export function unauthorized(detail: string): Problem {
  return new Problem(401, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
