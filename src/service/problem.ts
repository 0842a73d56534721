import { STATUS_CODES } from 'node:http';

interface ProblemExtras {
  type?: string;
  field?: string;
  headers?: Record<string, string>;
}

export class HttpProblem extends Error {
  readonly status: number;
  readonly extras: ProblemExtras;

  constructor(status: number, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.status = status;
    this.extras = extras;
  }
}

const problemType = 'application/problem+json';

export function problemText({
  status,
  message,
  extras: { type = 'about:blank', field },
}: HttpProblem): string {
  return JSON.stringify({
    type,
    title: STATUS_CODES[status],
    status,
    detail: message,
    message,
    ...(field && { errors: [{ field, message }] }),
  });
}

export function problemHeaders({ status, extras }: HttpProblem): Record<string, string> {
  const isTemporary = status === 408 || status === 429 || (status >= 500 && status !== 507);
  return {
    'Content-Type': problemType,
    ...(!isTemporary && { 'x-should-retry': 'false' }),
    ...extras.headers,
  };
}

export function unauthorized(detail: string): HttpProblem {
  return new HttpProblem(401, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
