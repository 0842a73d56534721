// A service with prepared answers. A request that has none fails the test.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';

export interface Seen {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** As text; empty if there was none. */
  body: string;
}

/** A body that is not text is sent as JSON. A function may do anything with the connection. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, seen: Seen) => void);

export interface ScriptedService {
  baseUrl: string;
  requests: Seen[];
  /** Resolves when the last of the replies is sent. */
  answered: Promise<void>;
  /** The environment that leads commands to this service. */
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
}

export const testToken = 'test-token-1f0c9a7e';

/** Sends the replies one after another, and then the reply that `forever` makes for each request. */
export async function scriptedService(
  replies: readonly Reply[],
  forever?: (seen: Seen) => Reply,
): Promise<ScriptedService> {
  const requests: Seen[] = [];
  const unexpected: string[] = [];
  const left = [...replies];
  let allAnswered: () => void = () => {};
  const answered = new Promise<void>((done) => {
    allAnswered = done;
  });
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
      answer(response, seen, reply ?? { status: 418, body: { message: 'unexpected request' } });
    });
  });
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => {
    if (unexpected.length > 0) throw new Error(`Unexpected requests: ${unexpected.join(', ')}`);
  });
  return { baseUrl, requests, answered, env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: testToken } };
}

function answer(response: ServerResponse, seen: Seen, reply: Reply): void {
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
