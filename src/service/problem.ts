// Refusals and failures as problem documents (RFC 9457).

import { STATUS_CODES } from 'node:http';
import { DatabaseFailure } from './database/database.ts';
import type { ServiceReply } from './request.ts';

interface ProblemExtras {
  field?: string;
  /** Nothing was changed, which the status alone does not say. */
  applied?: false;
  /** A 403 that is not about the val: other requests with this token would be refused in the same way. */
  concerns?: 'caller';
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
  return new HttpProblem(401, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

export const noSuchToken =
  'This service does not know the token, or the token has ended. To make another one where you are signed in, run ' +
  '`vals token add <name>`. To replace a lost token on the machine of the service, run `vals user token <username>`.';

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
  if (maybeCommitted) {
    return new HttpProblem(
      500,
      'The service lost the connection to its database during the write. Check whether the change is stored before you try again.',
    );
  }
  const notApplied = (status: number, detail: string, retryAfter?: number) =>
    new HttpProblem(status, detail, {
      applied: false,
      ...(retryAfter && { headers: { 'Retry-After': `${retryAfter}` } }),
    });
  switch (kind) {
    case 'gone':
      return notApplied(
        503,
        'The database of the service was removed or replaced. Tell the person who runs the service to restart it.',
        60,
      );
    case 'busy':
      return notApplied(
        503,
        'The database of the service is busy with other writes. Try again in a second.',
        1,
      );
    case 'unreachable':
      return notApplied(503, 'The service cannot reach its database. Try again in a second.', 1);
    case 'full':
      return notApplied(
        507,
        'The disk with the database of the service is full, so nothing was stored or deleted. ' +
          'Tell the person who runs the service to make room on that disk: then it works again by itself.',
      );
    default:
      return new HttpProblem(
        500,
        'The service could not read or write its database. The output of `vals serve` shows the reason.',
      );
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
  const { field, applied, concerns } = extras;
  const errors = field === undefined ? undefined : [{ field, message }];
  const body = {
    ...{ type: 'about:blank', title: STATUS_CODES[status], status, detail: message, message },
    ...{ errors, applied, concerns },
  };
  return { status, headers: problemHeaders(problem), body: JSON.stringify(body) };
}
