import { createHash } from 'node:crypto';
import { Problem } from '../problem.ts';
import { headerOf, type ServiceRequest } from '../request.ts';
import type { Once } from '../store/write-as.ts';
import { stateOf, type WriteOptions } from '../store/write-vals.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

export const etagOf = (val: Parameters<typeof stateOf>[0]): string => `"${stateOf(val)}"`;

export const writeOptionsOf = (request: ServiceRequest, body: Buffer | undefined): WriteOptions => ({
  onlyIf: onlyIf(headerOf(request, 'if-match'), headerOf(request, 'if-none-match')),
  once: request.method === 'POST' && body ? onceOf(request, body) : undefined,
});

/** Weak tags never match (RFC 9110, 13.1.1). */
function onlyIf(header: string | undefined, noneMatch: string | undefined): WriteOptions['onlyIf'] {
  if (noneMatch?.trim() === '*') return (state) => state === undefined;
  if (header === undefined) return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  return (state) => state !== undefined && (tags.includes('*') || tags.includes(`"${state}"`));
}

function onceOf(request: ServiceRequest, body: Buffer): Once | undefined {
  const key = headerOf(request, 'idempotency-key');
  if (key === undefined) return undefined;
  if (!keyPattern.test(key))
    throw new Problem(400, 'The header Idempotency-Key must have 1 to 255 visible ASCII characters.');
  const requestDigest = createHash('sha256').update(`${request.path}\n`).update(body).digest('hex');
  return { key, requestDigest };
}
