import { readBytes } from '../body.ts';
import { largestForm } from '../limits.ts';
import { HttpProblem } from '../problem.ts';
import { headerOf, redirect, type ServiceReply, type ServiceRequest } from '../request.ts';
import type { Identity } from '../store/access.ts';
import type { Store } from '../store/open-store.ts';
import { endSession, sessionSeconds } from '../store/sessions.ts';
import { identify } from '../store/tokens.ts';

/**
 * The port is part of the name, because browsers send a cookie to all ports of a host. Because of the prefix `__Host-`,
 * other hosts of the same domain cannot set the cookie.
 */
export function cookieOf({ origin }: ServiceRequest): { name: string; attributes: string } {
  const { protocol, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const name = `vals${port === '' ? '' : `-${port}`}`;
  // SameSite=Strict is not needed: GET changes nothing, and each form is checked for where it comes from.
  const attributes = 'Path=/; HttpOnly; SameSite=Lax';
  return isSecure ? { name: `__Host-${name}`, attributes: `${attributes}; Secure` } : { name, attributes };
}

/** Who has the session of this request. */
export async function identifySession(request: ServiceRequest, store: Store): Promise<Identity | undefined> {
  const secret = sessionOf(request);
  return secret === undefined ? undefined : identify(store, 'session', secret);
}

export function withCookie(request: ServiceRequest, secret: string, next: string): ServiceReply {
  const { name, attributes } = cookieOf(request);
  return redirect(next, { 'Set-Cookie': `${name}=${secret}; Max-Age=${sessionSeconds}; ${attributes}` });
}

export async function signOut(request: ServiceRequest, { db }: Pick<Store, 'db'>): Promise<ServiceReply> {
  requireOwnOrigin(request);
  const secret = sessionOf(request);
  if (secret !== undefined) await endSession(db, secret);
  const { name, attributes } = cookieOf(request);
  return redirect('/', { 'Set-Cookie': `${name}=; Max-Age=0; ${attributes}` });
}

/** The token of the sign-in form. */
export async function readForm(request: ServiceRequest): Promise<string> {
  requireOwnOrigin(request);
  const bytes = await readBytes(request, largestForm);
  return new URLSearchParams(bytes.toString()).get('token')?.trim() ?? '';
}

function requireOwnOrigin(request: ServiceRequest): void {
  const { origin } = request;
  if (headerOf(request, 'origin') === origin) return;
  throw new HttpProblem(403, `The service accepts forms only from its own page. Open ${origin}.`);
}

/** Where the browser goes on after the sign-in: a path of this service, whatever the address says. */
export function nextPage({ origin }: ServiceRequest, next = '/'): string {
  const address = URL.canParse(next, origin) ? new URL(next, origin) : new URL(origin);
  const { pathname, search } = address.origin === origin ? address : new URL(origin);
  // A path that begins with two slashes would be an address of another host.
  return pathname.startsWith('//') ? '/' : `${pathname}${search}`;
}

function sessionOf(request: ServiceRequest): string | undefined {
  const { name } = cookieOf(request);
  return new RegExp(`(?:^|;) *${name}=([\\w-]+) *(?:;|$)`).exec(headerOf(request, 'cookie') ?? '')?.[1];
}
