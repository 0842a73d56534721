import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { requestHeader, secretHeader } from '../protocol.ts';
import { isResponse } from './value.ts';

type OnFailure = (request: number, error: unknown) => void;

/**
 * Only vals connects to this server, and vals limits the time of each request. While the val computes, requests wait
 * unread, and the timeouts of Node would close their connections.
 */
const noTimeouts = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };

export function serveRequests(exported: unknown, secret: string, onFailure: OnFailure): Promise<number> {
  const server = createServer(noTimeouts, async (incoming, outgoing) => {
    if (incoming.headers[secretHeader] !== secret) return void outgoing.writeHead(403).end();
    const request = Number(incoming.headers[requestHeader]);
    try {
      await answer(exported, incoming, outgoing);
    } catch (error) {
      if (outgoing.destroyed) return;
      onFailure(request, error);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(`${error}\n`);
    }
  });
  return new Promise((listening) =>
    server.listen(0, '127.0.0.1', () => listening((server.address() as AddressInfo).port)),
  );
}

async function answer(exported: unknown, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  if (typeof exported !== 'function') {
    throw new TypeError('The val cannot answer requests, because its default export is not a function.');
  }
  const response: unknown = await exported(requestOf(incoming, outgoing));
  if (!isResponse(response))
    throw new TypeError('The val answered a request with a value that is not a Response.');
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  outgoing.writeHead(response.status, response.statusText);
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const {
    method = 'GET',
    url = '/',
    headers: { host },
  } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (name === secretHeader || name === requestHeader) continue;
    for (const value of values ?? []) headers.append(name, value);
  }
  const closed = new AbortController();
  const body = incoming.pipe(new PassThrough());
  outgoing.once('close', () => {
    closed.abort();
    // The rest of the body must be read. Otherwise the next request on this connection would never be read.
    incoming.unpipe(body);
    incoming.resume();
    body.destroy();
  });
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // The URL is joined as text, because `new URL` would treat a path that begins with two slashes as another host.
  return new Request(`http://${host}${url}`, {
    method,
    headers,
    signal: closed.signal,
    ...(hasBody && { body: Readable.toWeb(body) as ReadableStream, duplex: 'half' }),
  });
}
