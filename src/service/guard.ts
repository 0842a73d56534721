import { createHash, timingSafeEqual } from 'node:crypto';
import { readOnlyMember } from '../errors.ts';
import { Problem, unauthorized } from './problem.ts';
import { headerOf, type ServiceRequest } from './request.ts';
import type { Principal } from './store/spaces.ts';
import type { Store } from './store/store.ts';

export function refuseWebPages(request: ServiceRequest): void {
  if (headerOf(request, 'origin') !== undefined) {
    throw new Problem(403, 'The service refuses requests from web pages. This request has an Origin header.');
  }
}

export async function identify(request: ServiceRequest, { identify }: Store): ReturnType<Store['identify']> {
  const header = headerOf(request, 'authorization');
  if (header === undefined) return undefined;
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  const found = token === undefined ? undefined : await identify(token, request.space);
  if (found) return found;
  throw unauthorized('This service does not know the token.');
}

export function requireUser({ user }: ServiceRequest): Principal {
  if (user) return user;
  throw unauthorized('The request needs the header "Authorization: Bearer <token>".');
}

/** A caller who is not a member gets 404, because 403 would reveal that the space exists. */
export function checkMembership({ method, url, path, space, user, actor }: ServiceRequest): void {
  if (space === undefined) return;
  const mayHaveSession = path === '/' && !actor;
  if (!user && !mayHaveSession) throw nothingAt(url);
  if (user?.role === 'read' && method !== 'GET' && method !== 'HEAD') {
    throw new Problem(403, `You may read the vals of ${space}, but not change them.`, {
      type: readOnlyMember,
    });
  }
}

export const nothingAt = ({ pathname }: URL): Problem => new Problem(404, `There is nothing at ${pathname}.`);

export const tooManyRequests = (): Problem =>
  new Problem(429, 'You sent too many requests. Try again in a second.', { headers: { 'Retry-After': '1' } });

export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function cookieValues(request: ServiceRequest, name: string): string[] {
  return (headerOf(request, 'cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
