// From a request as Node has it to the routes, and from their answer back to Node.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { Problem, problemText, problemType } from './problem.ts';
import type { Answer } from './web.ts';

/** What the routes are given beside the request. */
export interface Bindings {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

type Routes = (request: Request, bindings: Bindings) => Response | Promise<Response>;

/** Before a connection is closed whose caller has not sent the whole body. */
const silenceMs = 500;
/** Of a body that is not needed. A longer one ends the connection. Node limits the time. */
const mostUnreadBytes = 64 * 1024 * 1024;

export function createListener(routes: Routes): RequestListener {
  return async (incoming, outgoing) => {
    const url = urlOf(incoming);
    const answer =
      url === undefined ? unusableTarget() : await routes(requestOf(incoming, url), { incoming, outgoing });
    if (Number(incoming.headers['content-length']) > mostUnreadBytes) outgoing.shouldKeepAlive = false;
    send(answer as unknown as Answer, outgoing);
    // The next request on the connection begins behind this one's body. And if the connection were closed now, a caller
    // who is still sending would lose the answer.
    if (!incoming.complete) await skipBody(incoming, outgoing.shouldKeepAlive);
    outgoing.end();
    if (!incoming.complete) incoming.socket.destroySoon();
  };
}

async function skipBody(incoming: IncomingMessage, isConnectionKept: boolean): Promise<void> {
  let size = 0;
  let silence: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    if (!isConnectionKept) silence = setTimeout(resolve, silenceMs);
    incoming.once('end', resolve).once('close', resolve);
    incoming.on('data', (chunk) => {
      size += chunk.length;
      silence?.refresh();
      if (size > mostUnreadBytes) resolve();
    });
  });
  clearTimeout(silence);
}

/** As far as hono and the routes look at it; they read its body from Node. */
function requestOf({ method, headersDistinct }: IncomingMessage, url: string): Request {
  const get = (name: string) => {
    const lower = name.toLowerCase();
    return headersDistinct[lower]?.join(lower === 'cookie' ? '; ' : ', ') ?? null;
  };
  return { method, url, headers: { get } } as unknown as Request;
}

/** A name or an address, and perhaps a port. */
const hostPattern = /^(\[[^\]]+\]|[^\s/?#@\\:[\]]+)(:\d+)?$/;

/** Undefined where the target, or the host that was asked for, makes no URL. */
function urlOf({ url: target = '', headers: { host = '' }, socket }: IncomingMessage): string | undefined {
  const scheme = (socket as TLSSocket).encrypted ? 'https' : 'http';
  const isWhole = /^https?:\/\//.test(target);
  if (!isWhole && (!target.startsWith('/') || !hostPattern.test(host))) return undefined;
  const text = isWhole ? target : `${scheme}://${host}${target}`;
  return /^[^?]*\\/.test(text) || !URL.canParse(text) ? undefined : new URL(text).href;
}

function unusableTarget(): Response {
  const problem = new Problem(400, 'The request has no usable target or Host.');
  return new Response(problemText(problem), { status: 400, headers: { 'Content-Type': problemType } });
}

function send({ status, headers, body }: Answer, outgoing: ServerResponse): void {
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  if (body !== null) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
  outgoing.writeHead(status);
  if (body !== null) outgoing.write(body);
  else outgoing.flushHeaders();
}
