// Passes each request of the Node HTTP server to the app, and writes the answer of the app.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { App } from '../app.ts';
import { Problem } from '../problem.ts';
import { problemAnswer } from '../problem-answer.ts';
import { type Answer, healthPath } from '../request.ts';
import { createPieceLimit, type PieceLimit } from './piece-limit.ts';

/**
 * Applies to the rest of a body on a connection that will be closed. If the caller sends nothing for this time, the
 * service stops reading the body.
 */
const silenceMs = 500;
/** If a caller does not read an answer within this time, the connection is closed. */
const readTimeoutMs = 120_000;
/**
 * The service reads at most this many bytes of a body that no route needs. If the body is longer, the service closes
 * the connection.
 */
const mostUnreadBytes = 64 * 1024 * 1024;

export function createListener(app: App, timeoutMs = readTimeoutMs): RequestListener {
  return async (incoming, outgoing) => {
    const pieces = createPieceLimit();
    const url = urlOf(incoming);
    const { method = '' } = incoming;
    const answer = url ? await app({ incoming, method, url, pieces }, outgoing) : unusableTarget();
    if (Number(incoming.headers['content-length']) > mostUnreadBytes) outgoing.shouldKeepAlive = false;
    send(answer, outgoing);
    // The rest of the body must be read, because the next request on the connection comes after the body. And if the
    // connection were closed now, a caller who is still sending the body would lose the answer.
    if (!incoming.complete) await skipBody(incoming, { pieces, isConnectionKept: outgoing.shouldKeepAlive });
    outgoing.end();
    const unread = setTimeout(() => incoming.socket.destroy(), timeoutMs).unref();
    outgoing.once('close', () => clearTimeout(unread));
    if (!incoming.complete) incoming.socket.destroySoon();
  };
}

async function skipBody(
  incoming: IncomingMessage,
  { pieces, isConnectionKept }: { pieces: PieceLimit; isConnectionKept: boolean },
): Promise<void> {
  if (pieces.isExceeded()) return;
  let size = 0;
  let silence: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    if (!isConnectionKept) silence = setTimeout(resolve, silenceMs);
    incoming.once('end', resolve).once('close', resolve);
    incoming.on('data', (chunk) => {
      size += chunk.length;
      silence?.refresh();
      pieces.count(chunk);
      if (size > mostUnreadBytes || pieces.isExceeded()) resolve();
    });
  });
  clearTimeout(silence);
}

const hostPattern = /^(\[[^\]]+\]|[^\s/?#@\\:[\]]+)(:\d+)?$/;

/** Returns undefined if the request target and the Host header do not form a URL. */
function urlOf({ url: target = '', headers: { host = '' }, socket }: IncomingMessage): URL | undefined {
  const scheme = (socket as TLSSocket).encrypted ? 'https' : 'http';
  const isWhole = /^https?:\/\//.test(target);
  const named = host === '' && target === healthPath ? 'localhost' : host;
  if (!isWhole && (!target.startsWith('/') || !hostPattern.test(named))) return undefined;
  const text = isWhole ? target : `${scheme}://${named}${target}`;
  return /^[^?]*\\/.test(text) || !URL.canParse(text) ? undefined : new URL(text);
}

const unusableTarget = (): Answer =>
  problemAnswer(new Problem(400, 'The request has no valid target or no valid Host.'));

function send({ status, headers = {}, body }: Answer, outgoing: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (body !== undefined) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
  outgoing.writeHead(status);
  if (body === undefined) outgoing.flushHeaders();
  else outgoing.write(body);
}
