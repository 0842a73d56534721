import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';
import { withResolvers } from './with-resolvers.ts';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Reply =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, seen: Seen) => void);

export interface ScriptedService {
  baseUrl: string;
  requests: Seen[];
  answered: Promise<void>;
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
}

export const testToken = 'test-token-1f0c9a7e';

export async function scriptedService(
  replies: readonly Reply[],
  forever?: (seen: Seen) => Reply,
): Promise<ScriptedService> {
  const requests: Seen[] = [];
  const unexpected: string[] = [];
  const left = [...replies];
  const { promise: answered, resolve: allAnswered } = withResolvers();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const seen: Seen = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(seen);
      const reply = left.shift() ?? forever?.(seen);
      if (left.length === 0) response.once('finish', allAnswered);
      if (reply === undefined) unexpected.push(`${seen.method} ${seen.path}`);
      sendReply(response, seen, reply ?? { status: 418, body: { message: 'unexpected request' } });
    });
  });
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => {
    if (unexpected.length > 0) throw new Error(`Unexpected requests: ${unexpected.join(', ')}`);
  });
  return { baseUrl, requests, answered, env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: testToken } };
}

export function sendReply(response: ServerResponse, seen: Seen, reply: Reply): void {
  if (typeof reply === 'function') {
    reply(response, seen);
    return;
  }
  const { status = 200, headers = {}, body } = reply;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  });
  response.end(text);
}

/** The page of a list that a request wants. */
export function pageOf(
  all: readonly object[],
  { path }: Pick<Seen, 'path'>,
  { hasLinks = false } = {},
): Reply {
  const query = new URL(path, 'http://x').searchParams;
  const limit = Number(query.get('limit'));
  const end = Number(query.get('offset')) + limit;
  const data = all.slice(end - limit, end);
  query.set('offset', String(end));
  if (!hasLinks) return { body: data };
  return { body: { data, links: end < all.length ? { next: `?${query}` } : {} } };
}
