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

/** How long a body is still taken in whose request was answered without it. */
const unreadBodyMs = 500;

export function createListener(routes: Routes): RequestListener {
  return async (incoming, outgoing) => {
    const url = urlOf(incoming);
    const answer =
      url === undefined ? unusableTarget() : await routes(requestOf(incoming, url), { incoming, outgoing });
    send(answer as unknown as Answer, outgoing);
    if (!incoming.complete) await restOf(incoming);
    outgoing.end();
    if (!incoming.complete) incoming.socket.destroySoon();
  };
}

/** Without it, the end of a connection would take the answer away from who is still sending. */
function restOf(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    incoming.once('end', resolve).once('close', resolve).resume();
    setTimeout(resolve, unreadBodyMs).unref();
  });
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
}
