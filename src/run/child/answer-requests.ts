import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { answerForPages, mostHeaderBytes, secretHeader } from '../protocol.ts';
import { describe, sendEvent } from './channel.ts';
import { type Callable, functionIn, isResponse, isStream } from './value.ts';

/** vals passes requests on to this server, over connections that it keeps. So nothing here has a time limit. */
const serverOptions = {
  keepAliveTimeout: 0,
  requestTimeout: 0,
  headersTimeout: 0,
  maxHeaderSize: mostHeaderBytes,
  requireHostHeader: false,
};

export function serve(exported: unknown): void {
  const call = functionIn(exported);
  if (call === undefined) {
    throw new TypeError(
      'The val cannot answer requests: its default export is neither a function nor an object with a fetch method.',
    );
  }
  const val = { call, takesContext: call !== exported };
  const secret = randomUUID();
  const work = createWork();
  const server = createServer(serverOptions, async (incoming, outgoing) => {
    if (incoming.headers[secretHeader] !== secret) incoming.socket.destroy();
    else await work.add(answer(val, incoming, outgoing));
  });
  process.once('disconnect', () => work.onIdle(() => sendEvent({ kind: 'idle' })));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const { port } = typeof address === 'object' && address !== null ? address : { port: 0 };
    sendEvent({ kind: 'ready', port, secret });
  });
}

/** What the val does for requests, also after their answers. */
function createWork() {
  let unfinished = 0;
  let tell = () => {};
  return {
    async add(work: Promise<void>): Promise<void> {
      unfinished += 1;
      await work;
      unfinished -= 1;
      if (unfinished === 0) tell();
    },
    onIdle(callback: () => void): void {
      tell = callback;
      if (unfinished === 0) tell();
    },
  };
}

interface Val {
  call: Callable;
  /** The val is an object with a `fetch` method, as Workers have it. */
  takesContext: boolean;
}

async function answer(
  { call, takesContext }: Val,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  // vals adds these headers, unless the val has them.
  outgoing.sendDate = false;
  outgoing.removeHeader('connection');
  const waited: unknown[] = [];
  const context = { waitUntil: (work: unknown) => void waited.push(work) };
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort());
  try {
    const asked = requestOf(incoming, outgoing, closed.signal);
    const response = await (takesContext ? call(asked, { ...process.env }, context) : call(asked));
    if (!isResponse(response)) {
      throw new TypeError('The val answered a request with a value that is not a Response.');
    }
    await send(response, outgoing);
    for (const work of waited) await work;
  } catch (error) {
    // `outgoing.destroyed` would not tell: if the stream of the val fails, `pipeline` destroys the answer.
    const callerLeft = closed.signal.aborted && !outgoing.writableFinished;
    if (callerLeft) return;
    const thrown = describe(error);
    sendEvent({ kind: 'threw', thrown });
    answerForPages(outgoing, 500, thrown.text);
  }
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const isForeign = isFromFetch(response);
  const headers: Record<string, string | string[]> = {};
  response.headers.forEach((value, name) => {
    if (!(isForeign && ofTheWire.has(name))) headers[name] = value;
  });
  // Some fetch implementations lack getSetCookie.
  const cookies = response.headers.getSetCookie?.() ?? [];
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  outgoing.writeHead(response.status, response.statusText || STATUS_CODES[response.status], headers);
  if (!isStream(response.body)) return void outgoing.end();
  outgoing.flushHeaders();
  await pipeline(response.body, outgoing);
}

/** Only `fetch` sets the address. */
const isFromFetch = ({ url }: Response): boolean => Boolean(url);

/** `fetch` has decoded the body, but its headers are those of the other connection. */
const ofTheWire = new Set([
  ...['content-encoding', 'content-length', 'transfer-encoding'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'],
]);

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct)) {
    if (name !== secretHeader) for (const value of values ?? []) headers.append(name, value);
  }
  const body = incoming.pipe(new PassThrough());
  outgoing.once('close', () => {
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
    signal,
    ...(hasBody && { body: Readable.toWeb(body) as ReadableStream, duplex: 'half' }),
  });
}
