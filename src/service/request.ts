// The request that a route gets, and the answer that a route returns.
import type { IncomingMessage } from 'node:http';
import type { PieceLimit } from './http/piece-limit.ts';
import type { Caller } from './store/read-vals.ts';
import type { User } from './store/users.ts';

export interface ServiceRequest {
  incoming: IncomingMessage;
  method: string;
  url: URL;
  pieces: PieceLimit;
  /** The name of the space at the beginning of the path, such as `acme` in `/@acme/v1/me`. */
  space: string | undefined;
  /** The path without the space, such as `/v1/me` for `/@acme/v1/me`. */
  path: string;
  /** Links in answers begin with this origin, such as `https://vals.example.com`. */
  origin: string;
  /** False if the service runs only during one command, because links with a host would not work after the command. */
  hasLinks: boolean;
  /**
   * The person or space that the caller acts as. Undefined if the request has no token, or if the caller is not a
   * member of the space.
   */
  user: Caller;
  /** The person who owns the token. */
  actor: User | undefined;
  /**
   * Counts bytes that stay in memory until the caller has read the answer. Throws if the caller has too many bytes in
   * memory.
   */
  hold(bytes: number): void;
  /** Counts bytes that the caller sends to be stored. Throws if the caller sends too many in a short time. */
  countStored(bytes: number): void;
}

export const spacePrefix = (space: string | undefined): string => (space === undefined ? '' : `/@${space}`);

/**
 * Returns the address of the service or of the space. Links in records begin with this address. Returns undefined if
 * records have no links.
 */
export const baseUrlOf = ({ origin, space, hasLinks }: ServiceRequest): string | undefined =>
  hasLinks ? origin + spacePrefix(space) : undefined;

/** Returns the URL of the request with the public origin. Behind a proxy, the request itself has another origin. */
export const selfOf = ({ url, origin }: ServiceRequest): URL =>
  new URL(`${url.pathname}${url.search}`, origin);

/** Returns a link to a page of a list. If the service runs only during one command, the link has no host. */
export const linkText = ({ hasLinks }: ServiceRequest, url: URL): string =>
  hasLinks ? url.href : `${url.pathname}${url.search}`;

/**
 * Matches paths such as `/@acme/v1/me` and `/@acme`. A space has only the API, the page and the sign-in, so any other
 * path that begins with `/@acme` has no route.
 */
const belowSpace = /^\/@([a-z][a-z0-9_-]{0,38})(\/v1\/.*|\/sign-in|\/?)$/;

export function splitSpace(pathname: string): { space: string | undefined; path: string } {
  const [, space, path] = belowSpace.exec(pathname) ?? [];
  return space === undefined ? { space, path: pathname } : { space, path: path || '/' };
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** This is the only path that is answered without a Host header, because some load balancers send none. */
export const healthPath = '/healthz';

/** If a request has the same header twice, both values are joined, so that no check misses the second value. */
export function headerOf({ incoming }: ServiceRequest, name: string): string | undefined {
  return incoming.headersDistinct[name]?.join(name === 'cookie' ? '; ' : ', ');
}

export const isForBrowser = (request: ServiceRequest): boolean =>
  headerOf(request, 'accept')?.includes('text/html') ?? false;

export const json = (value: object, status = 200, headers: Answer['headers'] = {}): Answer =>
  jsonText(JSON.stringify(value), status, headers);

export const jsonText = (body: string, status = 200, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});

export const html = (body: string, status = 200, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=UTF-8', ...headers },
  body,
});

export const redirect = (location: string, headers: Answer['headers'] = {}): Answer => ({
  status: 303,
  headers: { Location: location, ...headers },
});
