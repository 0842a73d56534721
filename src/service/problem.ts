import { STATUS_CODES } from 'node:http';
import { DatabaseFailure } from './database/database.ts';
import type { ServiceReply } from './request.ts';

interface ProblemExtras {
  /** It is about the token or the caller, so that it concerns all vals. */
  concerns?: 'caller';
  /** Nothing was changed, whatever the status says. */
  applied?: false;
  field?: string;
  /** The only one that the token is good for. */
  space?: string;
  headers?: Record<string, string>;
}

/** The service does not do what the caller wants. The message is for the caller. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(detail);
  }
}

export function unauthorized(detail: string): HttpProblem {
  return new HttpProblem(401, detail, { concerns: 'caller', headers: { 'WWW-Authenticate': 'Bearer' } });
}

export const noSuchToken =
  'This service does not know the token, or the token has ended. To make another one where you are signed in, run ' +
  '`vals token add <name>`, or ask the person who runs the service.';

/** The reply must not contain `error.message`, because it may reveal paths and addresses of the machine. */
export function httpProblemOf(error: Error): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof DatabaseFailure) return problemOfDatabase(error);
  return new HttpProblem(
    500,
    'The service could not reply because of an internal error. Tell the person who runs the service.',
  );
}

function problemOfDatabase({ kind, maybeCommitted }: DatabaseFailure): HttpProblem {
  const problem = (status: number, detail: string, retryAfter?: number) =>
    new HttpProblem(status, detail, retryAfter ? { headers: { 'Retry-After': `${retryAfter}` } } : {});
  if (kind === 'gone') {
    const detail = 'The database of the service was removed or replaced. Restart the service.';
    return problem(maybeCommitted ? 500 : 503, detail, 60);
  }
  if (maybeCommitted) {
    const detail =
      'The service lost the connection to its database during the write. Check whether the change is stored before you try again.';
    return problem(500, detail);
  }
  switch (kind) {
    case 'busy':
      return problem(503, 'The database of the service is busy with other writes. Try again in a second.', 1);
    case 'unreachable':
      return problem(503, 'The service cannot reach its database. Try again in a second.', 1);
    case 'full': {
      const detail =
        'The disk with the database of the service is full, so nothing was stored or deleted. Make room on that disk.';
      return new HttpProblem(507, detail, { applied: false });
    }
    default: {
      const where = 'The output of `vals serve` shows the reason.';
      return problem(500, `The service could not read or write its database. ${where}`);
    }
  }
}

export function problemHeaders({ status, extras }: HttpProblem): Record<string, string> {
  const isTemporary = status === 408 || status === 429 || (status >= 500 && status !== 507);
  return {
    'Content-Type': 'application/problem+json',
    ...(!isTemporary && { 'x-should-retry': 'false' }),
    ...extras.headers,
  };
}

export function problemReply(problem: HttpProblem): ServiceReply {
  const { status, message, extras } = problem;
  const { field, space, concerns, applied } = extras;
  const errors = field === undefined ? undefined : [{ field, message }];
  const title = STATUS_CODES[status];
  const about = { type: 'about:blank', title, status, detail: message, message };
  const body = { ...about, errors, space, concerns, applied };
  return { status, headers: problemHeaders(problem), body: JSON.stringify(body) };
}
