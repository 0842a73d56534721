import { createHash } from 'node:crypto';
import { HttpProblem } from '../problem.ts';
import { headerOf, type ServiceRequest } from '../request.ts';
import type { Once } from '../store/idempotency.ts';
import { stateTag } from '../store/vals.ts';
import type { Precondition, WriteOptions } from '../store/write-as.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

export const etagOf = (val: Parameters<typeof stateTag>[0]): string => `"${stateTag(val)}"`;

export const writeOptionsOf = (request: ServiceRequest, body: Buffer | undefined): WriteOptions => ({
  onlyIf: onlyIfOf(request),
  origin: request.origin,
  once: request.method === 'POST' && body ? onceOf(request, body) : undefined,
});

const tagsIn = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/** Weak tags never match If-Match (RFC 9110, 13.1.1). */
function onlyIfOf(request: ServiceRequest): Precondition | undefined {
  const ifMatch = headerOf(request, 'if-match');
  const ifNoneMatch = headerOf(request, 'if-none-match');
  if (ifMatch !== undefined) {
    const tags = tagsIn(ifMatch);
    return {
      allows: (state) => state !== undefined && (tags.includes('*') || tags.includes(`"${state}"`)),
      refusal: 'The val has changed since you read it. Read it again before you change it.',
    };
  }
  if (request.method === 'GET' || ifNoneMatch?.trim() !== '*') return undefined;
  return {
    allows: (state) => state === undefined,
    refusal:
      'There is a val with this name already, and the request allows only a new val (If-None-Match: *).',
  };
}

/** Weak tags match If-None-Match, because a reply without a body needs no equal bytes (RFC 9110, 13.1.2). */
export function isUnchangedFor(request: ServiceRequest, val: Parameters<typeof stateTag>[0]): boolean {
  const header = headerOf(request, 'if-none-match');
  if (header === undefined || !['GET', 'HEAD'].includes(request.method)) return false;
  const tags = tagsIn(header).map((tag) => tag.replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etagOf(val));
}

function onceOf(request: ServiceRequest, body: Buffer): Once | undefined {
  const key = headerOf(request, 'idempotency-key');
  if (key === undefined) return undefined;
  if (!keyPattern.test(key))
    throw new HttpProblem(400, 'The header Idempotency-Key must have 1 to 255 visible ASCII characters.');
  const requestDigest = createHash('sha256').update(`${request.path}\n`).update(body).digest('hex');
  return { key, requestDigest };
}
