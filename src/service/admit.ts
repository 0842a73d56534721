// Who sends a request, and whether they may.

import type { ServerResponse } from 'node:http';
import { requestsUnderWay } from './limits.ts';
import { identifySession } from './pages/session.ts';
import { HttpProblem, noSuchToken, unauthorized } from './problem.ts';
import { headerOf, type ServiceRequest, spacePrefix } from './request.ts';
import type { Route } from './routes/route.ts';
import { type Access, accessAt, homeOf, type Identity } from './store/access.ts';
import type { Store } from './store/open-store.ts';
import { identify } from './store/tokens.ts';

interface Gate {
  store: Store;
  /** How many requests of each token are under way. */
  underWay: Map<string, number>;
}

/** Decides who asks, and whether they may ask this. `route` is absent if no route has this path and method. */
export async function admit(
  { store, underWay }: Gate,
  request: ServiceRequest,
  route: Route | undefined,
  outgoing: ServerResponse,
): Promise<void> {
  const identity = await identifyRequest(request, store);
  // Before anything is refused, because the log says whose request it was.
  request.identity = identity;
  request.access = identity && accessAt(identity, request.space);
  if (identity) countRequest(underWay, identity.token.id, request, outgoing);
  if (request.isApi && identity && !request.access && identity.token.spaceId !== null)
    throw otherBaseUrl(request, identity);
  // 403 would reveal to others that the space exists. A page of it may be that of a public val.
  if (request.space !== undefined && !request.access && request.isApi) throw notFoundAt(request.url);
  if (route?.admits === 'token') accessOf(request);
}

async function identifyRequest(request: ServiceRequest, store: Store): Promise<Identity | undefined> {
  const header = headerOf(request, 'authorization');
  // The API takes no sessions: a page of another site could use them.
  if (header === undefined) return request.isApi ? undefined : identifySession(request, store);
  const secret = /^Bearer +(\S+)$/i.exec(header)?.[1];
  const found = secret === undefined ? undefined : await identify(store, 'token', secret);
  if (!found) throw unauthorized(noSuchToken);
  return found;
}

function otherBaseUrl({ origin }: ServiceRequest, identity: Identity): HttpProblem {
  const { token } = identity;
  const { username } = homeOf(identity).owner;
  return new HttpProblem(
    403,
    `The token ${token.name} is good for the space ${username} alone. The base URL of the space is ${origin}${spacePrefix(username)}. ` +
      'Use that base URL, or another token.',
    { concerns: 'caller' },
  );
}

/** A write goes on after its client disconnected, so it counts until both have ended. */
function countRequest(
  underWay: Gate['underWay'],
  token: string,
  request: ServiceRequest,
  outgoing: ServerResponse,
): void {
  const add = (count: number) => underWay.set(token, (underWay.get(token) ?? 0) + count);
  if ((underWay.get(token) ?? 0) >= requestsUnderWay) {
    throw new HttpProblem(429, 'You sent too many requests. Try again in a second.', {
      headers: { 'Retry-After': '1' },
    });
  }
  add(1);
  const leave = () => {
    if (add(-1).get(token) === 0) underWay.delete(token);
  };
  request.onReply = () => {
    if (outgoing.destroyed) leave();
    else outgoing.once('close', leave);
  };
}

/** A page that the caller may not see does not exist for them. */
export function accessOf({ access, identity, url }: ServiceRequest): Access {
  if (access) return access;
  throw identity
    ? notFoundAt(url)
    : unauthorized('The request needs the header "Authorization: Bearer <token>".');
}

export const notFoundAt = ({ pathname }: URL): HttpProblem =>
  new HttpProblem(404, `There is nothing at ${pathname}.`);
