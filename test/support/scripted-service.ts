// A service that answers what it was told to, in turn, and fails the test on any request it did not expect.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Seen {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** As text; empty where there was none. */
  body: string;
}

/** A body that is not text is sent as JSON; a function does what it wants to the connection. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, seen: Seen) => void);

export interface ScriptedService {
  baseUrl: string;
  requests: Seen[];
  /** Resolves when the last of the replies in turn is wholly sent. */
  answered: Promise<void>;
  /** What every command needs to talk to it. */
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
}

export const testToken = 'test-token-1f0c9a7e';

/** Replies in turn; the last one may be a function of the request that goes on for ever, as `forever`. */
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
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    if (unexpected.length > 0) throw new Error(`Unexpected requests: ${unexpected.join(', ')}`);
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
