// The headers of each request.
import { randomUUID } from 'node:crypto';
import type { Call } from '../call.ts';

/** Those that are the same for every request are made once. */
export function createHeaders({ userAgent, token }: { userAgent: string; token: string | undefined }) {
  const always = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const withBody = { ...always, 'content-type': 'application/json' };

  return ({ method, body }: Call): Record<string, string> => {
    const alike = body === undefined ? always : withBody;
    return method === 'POST' ? { ...alike, 'idempotency-key': randomUUID() } : alike;
  };
}
