import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { isLoopback } from '../../lib/host-names.ts';
import type { ParentMessage } from '../protocol.ts';
import { sendEvent } from './channel.ts';
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
  const numbers = new WeakMap<Socket, number>();
  let connections = 0;
  let requests = 0;
  let isRetired = false;
  const server = createServer({ keepAliveTimeout: 5_000, requestTimeout: 0 }, (incoming, outgoing) => {
    const request = requests++;
    const connection = numbers.get(incoming.socket) ?? 0;
    const { method = 'GET', url = '/' } = incoming;
    sendEvent({ kind: 'request', request, connection, method, path: url.replace(/[?#].*$/s, '') });
    if (isRetired) outgoing.shouldKeepAlive = false;
    outgoing.once('close', () => sendEvent({ kind: 'answered', request }));
    const refusal = onlyLoopback ? refusalOf(incoming) : undefined;
    if (refusal === undefined) return void answer(call, incoming, outgoing, request);
    sendEvent({ kind: 'answering', request, status: 403 });
    outgoing.writeHead(403, plainText).end(`${refusal}\n`);
  });
  server.on('upgrade', (_incoming, socket) => {
    const text = 'vals run does not serve WebSockets.\n';
    socket.end(
      `HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
  });

  const endIfIdle = () => {
    if (isRetired && connections === 0) sendEvent({ kind: 'idle' });
  };
  process.on('message', (message: ParentMessage, socket: unknown) => {
    if (message.kind === 'retire') {
      isRetired = true;
      server.closeIdleConnections();
      return endIfIdle();
    }
    const { connection } = message;
    sendEvent({ kind: 'connected', connection });
    // The socket is undefined if the caller left while the connection was handed over.
    if (!(socket instanceof Socket)) return sendEvent({ kind: 'closed', connection });
    numbers.set(socket, connection);
    connections += 1;
    socket.once('close', () => {
      connections -= 1;
      sendEvent({ kind: 'closed', connection });
      endIfIdle();
    });
    server.emit('connection', socket);
    socket.resume();
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

async function answer(
  call: Callable,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  request: number,
): Promise<void> {
  const begin = (status: number) => sendEvent({ kind: 'answering', request, status });
  try {
    const response = await call(requestOf(incoming, outgoing));
    if (!isResponse(response)) {
      throw new TypeError('The val answered a request with a value that is not a Response.');
    }
    begin(response.status);
    await send(response, outgoing);
  } catch (error) {
    if (outgoing.destroyed) return;
    sendEvent({ kind: 'failed', thrown: describe(error), request });
    if (outgoing.headersSent) return void outgoing.destroy();
    begin(500);
    outgoing.writeHead(500, plainText).end(`${error}\n`);
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
