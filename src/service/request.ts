// A request as the routes see it, and the answers that they give.
import type { IncomingMessage } from 'node:http';
import type { Caller } from './store.ts';

export interface ServiceRequest {
  incoming: IncomingMessage;
  method: string;
  url: URL;
  /** Scheme and host for the links in an answer. */
  origin: string;
  user: Caller;
  /** Counts bytes of the caller that stay in memory until the answer is read. Throws if these are too many. */
  hold(bytes: number): void;
  /** Counts bytes that the caller sends to be stored. Throws if these are too many for the time. */
  countStored(bytes: number): void;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** The one path that may be asked for without a Host: some load balancers send none. */
export const healthPath = '/healthz';

/** Repeated headers are joined, so that no check overlooks the second one. */
export function headerOf({ incoming }: ServiceRequest, name: string): string | undefined {
  return incoming.headersDistinct[name]?.join(name === 'cookie' ? '; ' : ', ');
}

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
