// The requests that routes get, and the answers that they return.
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
  /** The scheme and host of the links in answers. */
  origin: string;
  /** False for a service that ends with its caller, because a link with a host would soon lead nowhere. */
  hasLinks: boolean;
  /** The person or space that the caller acts as. Undefined without a token, and without membership in the space. */
  user: Caller;
  /** The person who owns the token. */
  actor: User | undefined;
  /** Counts bytes that stay in memory until the answer is read. Throws if the caller has too many bytes in memory. */
  hold(bytes: number): void;
  /** Counts bytes that the caller sends to be stored. Throws if the caller sends too many in a short time. */
  countStored(bytes: number): void;
}

export const spacePrefix = (space: string | undefined): string => (space === undefined ? '' : `/@${space}`);

/** Links in records begin with this address of the service or of the space. Undefined if records have no links. */
export const baseUrlOf = ({ origin, space, hasLinks }: ServiceRequest): string | undefined =>
  hasLinks ? origin + spacePrefix(space) : undefined;

/** The URL of the request, with the origin that callers use. */
export const selfOf = ({ url, origin }: ServiceRequest): URL =>
  new URL(`${url.pathname}${url.search}`, origin);

/** A link to a page of a list. It has no host if the service ends with its caller. */
export const linkText = ({ hasLinks }: ServiceRequest, url: URL): string =>
  hasLinks ? url.href : `${url.pathname}${url.search}`;

/** Below a space, there are only the API and the page. Any other path below `/@name` has no route. */
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

/** Joins repeated headers, so that no check misses the second one. */
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
