import { createHmac } from 'node:crypto';
import { readBytes } from '../body.ts';
import { HttpProblem } from '../problem.ts';
import { headerOf, redirect, type ServiceReply, type ServiceRequest } from '../request.ts';
import type { Identity, OwnToken } from '../store/access.ts';
import type { Store } from '../store/open-store.ts';
import { digestOf, identify } from '../store/tokens.ts';

const lifetimeSeconds = 12 * 60 * 60;

/**
 * The port is part of the name, because browsers send a cookie to all ports of a host. Because of the prefix `__Host-`,
 * other hosts of the same domain cannot set the cookie.
 */
function cookieOf({ origin }: ServiceRequest): { name: string; attributes: string } {
  const { protocol, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const name = `vals${port === '' ? '' : `-${port}`}`;
  // SameSite=Strict is not needed: GET changes nothing, and each form is checked for where it comes from.
  const attributes = 'Path=/; HttpOnly; SameSite=Lax';
  return isSecure ? { name: `__Host-${name}`, attributes: `${attributes}; Secure` } : { name, attributes };
}

/** A session names its token, so it ends with the token, in every process, and nobody keeps a list. */
const signatureOf = (key: string, { id }: OwnToken, end: string): string =>
  createHmac('sha256', key).update(`vals session ${id} ${end}`).digest('base64url');

/** Who has the session of this request. */
export async function identifySession(request: ServiceRequest, store: Store): Promise<Identity | undefined> {
  const session = cookieValue(request, cookieOf(request).name);
  const [tokenId = '', end = '', signature = ''] = session.split('.');
  if (!/^\d{1,12}$/.test(end) || Number(end) * 1_000 < Date.now()) return undefined;
  const identity = await identify(store, { tokenId });
  if (!identity) return undefined;
  const expected = signatureOf(await store.sessionKey(), identity.token, end);
  // Compares digests, so that the time of the comparison does not reveal the signature.
  return digestOf(signature) === digestOf(expected) ? identity : undefined;
}

export async function startSession(
  request: ServiceRequest,
  { sessionKey }: Pick<Store, 'sessionKey'>,
  token: OwnToken,
  next: string,
): Promise<ServiceReply> {
  const { name, attributes } = cookieOf(request);
  const end = `${Math.floor(Date.now() / 1_000) + lifetimeSeconds}`;
  const session = [token.id, end, signatureOf(await sessionKey(), token, end)].join('.');
  return redirect(next, { 'Set-Cookie': `${name}=${session}; Max-Age=${lifetimeSeconds}; ${attributes}` });
}

export function endSession(request: ServiceRequest): ServiceReply {
  requireOwnOrigin(request);
  const { name, attributes } = cookieOf(request);
  return redirect('/', { 'Set-Cookie': `${name}=; Max-Age=0; ${attributes}` });
}

/** The token of the sign-in form. */
export async function readForm(request: ServiceRequest): Promise<string> {
  requireOwnOrigin(request);
  const bytes = await readBytes(request);
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

function cookieValue(request: ServiceRequest, name: string): string {
  const [, value = ''] = new RegExp(`(?:^|;) *${name}=([^;]*)`).exec(headerOf(request, 'cookie') ?? '') ?? [];
  return value.trim();
}
