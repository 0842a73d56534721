import { headerOf, type ServiceRequest } from '../request.ts';
import { stateTag } from '../store/vals.ts';
import type { Precondition, WriteOptions } from '../store/write-as.ts';

export const etagOf = (val: Parameters<typeof stateTag>[0]): string => `"${stateTag(val)}"`;

export const writeOptionsOf = (request: ServiceRequest): WriteOptions => ({
  onlyIf: onlyIfOf(request),
  origin: request.origin,
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
