import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  request as sendRequest,
} from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { isLoopback } from '../../lib/host-names.ts';
import type { ParentMessage } from '../protocol.ts';
import { sendEvent } from './channel.ts';
import { createConnections, keepAliveMs } from './connections.ts';
import { describe } from './fail.ts';
import { type Callable, functionIn, isResponse, isStream } from './value.ts';

/** The parent accepts connections and hands them over. It is told of each step, and ends a process that hangs. */
export function serve(exported: unknown, { onlyLoopback }: { onlyLoopback: boolean }): void {
  const call = functionIn(exported);
  if (call === undefined) {
    throw new TypeError(
      'The val cannot answer requests: its default export is neither a function nor an object with a fetch method.',
    );
  }
  const takesContext = call !== exported;
  const replies = new Map<number, (isCurrent: boolean) => void>();
  const connections = createConnections();
  let requests = 0;

  const server = createServer(
    { keepAliveTimeout: keepAliveMs, requestTimeout: 0 },
    async (incoming, outgoing) => {
      const request = requests++;
      const finish = connections.begin(incoming.socket, outgoing);
      const closed = new Promise((resolve) => outgoing.once('close', resolve));
      const connection = connections.numberOf(incoming.socket);
      sendEvent({ kind: 'arrived', request, connection });
      const isCurrent = await new Promise<boolean>((resolve) => replies.set(request, resolve));
      replies.delete(request);
      if (isCurrent) {
        const { method = 'GET', url: path = '/' } = incoming;
        sendEvent({ kind: 'request', request, connection, method, path });
        const refusal = onlyLoopback ? refusalOf(incoming) : undefined;
        if (refusal === undefined) await answer(call, { incoming, outgoing, request, takesContext });
        else refuse(refusal, outgoing, request);
        await closed;
        sendEvent({ kind: 'answered', request });
      } else passOn(incoming, outgoing);
      finish();
    },
  );
  server.on('upgrade', (_incoming, socket) => {
    const text = 'vals run does not serve WebSockets.\n';
    socket.end(
      `HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
  });
  process.on('message', (message: ParentMessage, socket: unknown) => {
    switch (message.kind) {
      case 'retire':
        return connections.retire();
      case 'arrived':
        return replies.get(message.request)?.(message.isCurrent);
      case 'connection':
        connections.add(message.connection, socket, server);
    }
  });
  sendEvent({ kind: 'ready' });
}

const plainText = { 'content-type': 'text/plain; charset=utf-8' };

/** A web page of somebody else could reach the val by a name that leads to this machine (DNS rebinding). */
function refusalOf({ headers: { host = '' } }: IncomingMessage): string | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (isLoopback(name)) return undefined;
  return 'This val answers only requests for localhost or a loopback address. To serve other names, use --host.';
}

function refuse(refusal: string, outgoing: ServerResponse, request: number): void {
  sendEvent({ kind: 'answering', request, status: 403 });
  outgoing.writeHead(403, plainText).end(`${refusal}\n`);
}

/** There is newer code: whoever accepts connections at this address now gives the request to that code. */
function passOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url: path, rawHeaders, socket } = incoming;
  const target = { host: socket.localAddress, port: socket.localPort, agent: false };
  const passed = sendRequest({ ...target, method, path, headers: rawHeaders, setHost: false }, (answer) => {
    const { statusCode = 500, statusMessage, rawHeaders } = answer;
    const headers = rawHeaders.filter((_, index) => !ofConnection.test(rawHeaders[index & ~1] ?? ''));
    outgoing.writeHead(statusCode, statusMessage, [...headers, 'Connection', 'close']);
    pipeline(answer, outgoing).catch(() => {});
  });
  passed.on('error', () => outgoing.destroy());
  outgoing.once('close', () => passed.destroy());
  incoming.pipe(passed);
}

const ofConnection = /^(?:connection|keep-alive)$/i;

interface Answering {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  request: number;
  /** The val is an object with a `fetch` method, as Workers have it. */
  takesContext: boolean;
}

async function answer(
  call: Callable,
  { incoming, outgoing, request, takesContext }: Answering,
): Promise<void> {
  const begin = (status: number) => sendEvent({ kind: 'answering', request, status });
  const waited: unknown[] = [];
  const context = { waitUntil: (work: unknown) => void waited.push(work), passThroughOnException() {} };
  try {
    const asked = requestOf(incoming, outgoing);
    const response = await (takesContext ? call(asked, { ...process.env }, context) : call(asked));
    if (!isResponse(response)) {
      throw new TypeError('The val answered a request with a value that is not a Response.');
    }
    begin(response.status);
    await send(response, outgoing);
    for (const work of waited) await work;
  } catch (error) {
    if (outgoing.destroyed && !outgoing.writableFinished) return;
    sendEvent({ kind: 'failed', thrown: describe(error), request });
    if (outgoing.headersSent) return void outgoing.destroy();
    begin(500);
    outgoing.writeHead(500, { ...plainText, 'access-control-allow-origin': '*' }).end(`${error}\n`);
  }
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') outgoing.setHeader(name, value);
  });
  // Some fetch implementations lack getSetCookie.
  const cookies = response.headers.getSetCookie?.() ?? [];
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  outgoing.writeHead(response.status, response.statusText || STATUS_CODES[response.status]);
  if (!isStream(response.body)) return void outgoing.end();
  outgoing.flushHeaders();
  await pipeline(response.body, outgoing);
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = 'GET', url = '/', headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct)) {
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
  return new Request(`http://${headers.get('host') ?? 'localhost'}${url}`, {
    method,
    headers,
    signal: closed.signal,
    ...(hasBody && { body: Readable.toWeb(body) as ReadableStream, duplex: 'half' }),
  });
}
