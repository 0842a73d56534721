import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { type RequestFacts, unknownRoute } from './http/server.ts';
import type { Access, Identity } from './store/access.ts';

export interface ServiceRequest {
  incoming: IncomingMessage;
  method: string;
  url: URL;
  /** The path of the route that was found, for the log and the metrics. */
  pattern: string;
  space: string | undefined;
  path: string;
  origin: string;
  /** Whose token or session the request has. */
  identity: Identity | undefined;
  /** Undefined without a token, and where the token is not good. */
  access: Access | undefined;
  /** What the request is about and what it changed, once that is known. For the log. */
  noted: Pick<RequestFacts, 'val' | 'changed' | 'privacy' | 'about'>;
  /** Whether the path is one of the API, which takes tokens alone, or of the pages, which take sessions too. */
  isApi: boolean;
  /** Whether there is such a page. */
  isPage?: boolean;
  /** Called when the reply is known, or the request has failed. */
  onReply?(): void;
}

export const spacePrefix = (space: string | undefined): string => (space === undefined ? '' : `/@${space}`);

/** Where links lead: to the service, and below `base` to the person or the space. */
export interface LinkBase {
  origin: string;
  base: string;
}

export const linkBaseOf = ({ origin, space }: ServiceRequest): LinkBase => ({
  origin,
  base: origin + spacePrefix(space),
});

export const selfOf = ({ url, origin }: ServiceRequest): URL =>
  new URL(`${url.pathname}${url.search}`, origin);

const belowSpace = /^\/@([a-z][a-z0-9_-]{0,38})(\/(?:v1|vals|runs)\/.*|\/runs|\/search|\/?)$/;

export function splitSpace(pathname: string): { space: string | undefined; path: string } {
  const [, space, path] = belowSpace.exec(pathname) ?? [];
  return space === undefined ? { space, path: pathname } : { space, path: path || '/' };
}

/** Undefined if the request has no valid address. */
export function serviceRequestOf(incoming: IncomingMessage): ServiceRequest | undefined {
  const url = urlOf(incoming);
  if (!url) return undefined;
  const { space, path } = splitSpace(url.pathname);
  return {
    incoming,
    method: incoming.method ?? '',
    url,
    pattern: unknownRoute,
    space,
    path,
    // Everything else is a page, or is answered as a page that does not exist.
    isApi: path.startsWith('/v1/'),
    origin: url.origin,
    identity: undefined,
    access: undefined,
    noted: {},
  };
}

/** For the log and the metrics. */
export function factsOf({ pattern, identity, space, noted }: ServiceRequest): RequestFacts {
  const person = identity?.actor.username;
  return { route: pattern, person, token: identity?.token.name, owner: space ?? person, ...noted };
}

function urlOf({ url: target = '', headers, socket }: IncomingMessage): URL | undefined {
  const scheme = (socket as TLSSocket).encrypted ? 'https' : 'http';
  const isWhole = /^https?:\/\//.test(target);
  const { host = '' } = headers;
  // The health check is answered whatever the Host header says, and `checkHost` refuses such a header everywhere else.
  const isHost = /^[^/?#@\\]+$/.test(host) && URL.canParse(`${scheme}://${host}`);
  const text = isWhole ? target : `${scheme}://${isHost ? host : 'localhost'}${target}`;
  return (isWhole || target.startsWith('/')) && URL.canParse(text) ? new URL(text) : undefined;
}

export interface ServiceReply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export const healthPath = '/healthz';

/** Joins all values of a repeated header, because a check of the first value alone would miss the others. */
export function headerOf({ incoming }: ServiceRequest, name: string): string | undefined {
  return incoming.headersDistinct[name]?.join(name === 'cookie' ? '; ' : ', ');
}

export const isBrowser = (request: ServiceRequest): boolean =>
  headerOf(request, 'accept')?.includes('text/html') ?? false;

/** A page answers in HTML, unless the program wants something else. */
export function wantsPage(request: ServiceRequest): boolean {
  const accept = headerOf(request, 'accept') ?? '*/*';
  return isBrowser(request) || (request.isPage === true && accept.includes('*/*'));
}

export const json = (value: object, status = 200, headers: ServiceReply['headers'] = {}): ServiceReply =>
  jsonText(JSON.stringify(value), status, headers);

export const jsonText = (
  body: string,
  status = 200,
  headers: ServiceReply['headers'] = {},
): ServiceReply => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});

export const redirect = (location: string, headers: ServiceReply['headers'] = {}): ServiceReply => ({
  status: 303,
  headers: { Location: location, ...headers },
});
