import { limitedToken, tooManyVals } from '../lib/problem-types.ts';
import { DatabaseFailure } from './database/database.ts';
import { HttpProblem, problemHeaders, problemText, unauthorized } from './problem.ts';
import type { ServiceReply } from './request.ts';
import { Refusal } from './store/refusal.ts';

export const problemReply = (problem: HttpProblem): ServiceReply => ({
  status: problem.status,
  headers: problemHeaders(problem),
  body: problemText(problem),
});

const statuses: Record<Refusal['kind'], number> = {
  'not found': 404,
  'not allowed': 403,
  'too many vals': 403,
  'limited token': 403,
  conflict: 409,
  changed: 412,
  'key reused': 422,
  'unknown caller': 401,
  'no member': 404,
};

const types: Partial<Record<Refusal['kind'], string>> = {
  'too many vals': tooManyVals,
  'limited token': limitedToken,
};

function problemOfRefusal({ kind, message }: Refusal): HttpProblem {
  if (kind === 'unknown caller') return unauthorized(message);
  const type = types[kind];
  return new HttpProblem(statuses[kind], message, type === undefined ? {} : { type });
}

/** The reply must not contain `error.message`, because it may reveal paths and addresses of the machine. */
export function problemOf(error: Error): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof Refusal) return problemOfRefusal(error);
  if (!(error instanceof DatabaseFailure))
    return new HttpProblem(
      500,
      'The service could not reply because of an internal error. Tell the person who runs the service.',
    );
  const { kind, maybeCommitted } = error;
  const retryAfter = (seconds: number) => ({ headers: { 'Retry-After': `${seconds}` } });
  if (kind === 'gone') {
    const detail = 'The database of the service was removed or replaced. Restart the service.';
    return new HttpProblem(maybeCommitted ? 500 : 503, detail, retryAfter(60));
  }
  if (maybeCommitted) {
    const detail =
      'The service lost the connection to its database during the write. Check whether the change is stored before you try again.';
    return new HttpProblem(500, detail);
  }
  switch (kind) {
    case 'busy':
      return new HttpProblem(
        503,
        'The database of the service is busy with other writes. Try again in a second.',
        retryAfter(1),
      );
    case 'unreachable':
      return new HttpProblem(
        503,
        'The service cannot reach its database. Try again in a second.',
        retryAfter(1),
      );
    case 'full':
      return new HttpProblem(507, 'The disk with the database of the service is full.');
    default:
      return new HttpProblem(
        500,
        'The service could not read or write its database. The output of `vals serve` shows the reason.',
      );
  }
}
