import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { App } from '../app.ts';
import { type Answer, healthPath } from '../request.ts';
import { createPieceLimit, type PieceLimit } from './piece-limit.ts';

const bodySilenceMs = 500;
const answerTimeoutMs = 120_000;
const mostSkippedBytes = 64 * 1024 * 1024;

export function createListener(app: App, timeoutMs = answerTimeoutMs): RequestListener {
  // A function of its own, because the text of the answer would otherwise stay in memory as long as the request.
  const begin = async (incoming: IncomingMessage, outgoing: ServerResponse, pieces: PieceLimit) => {
    const { method = '' } = incoming;
    const answer = await app({ incoming, method, url: urlOf(incoming), pieces }, outgoing);
    if (outgoing.destroyed) return;
    const isTooLong = Number(incoming.headers['content-length']) > mostSkippedBytes;
    if (isTooLong || pieces.isExceeded()) outgoing.shouldKeepAlive = false;
    send(answer, outgoing);
  };
  return async (incoming, outgoing) => {
    const pieces = createPieceLimit();
    await begin(incoming, outgoing, pieces);
    if (outgoing.destroyed) return;
    // `skipBody` must run before `end`, because a caller who is still sending would otherwise lose the answer.
    if (!incoming.complete) await skipBody(incoming, { pieces, isConnectionKept: outgoing.shouldKeepAlive });
    // `outgoing` has already emitted 'close', so nothing would clear the timer below, and it would keep the request in
    // memory for two minutes.
    if (outgoing.destroyed) return;
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
    if (!isConnectionKept) silence = setTimeout(resolve, bodySilenceMs);
    incoming.once('end', resolve).once('close', resolve);
    incoming.on('data', (chunk) => {
      size += chunk.length;
      silence?.refresh();
      pieces.count(chunk);
      if (size > mostSkippedBytes || pieces.isExceeded()) resolve();
    });
  });
  clearTimeout(silence);
}

/** Other letters are refused, because a URL with a thousand of them takes 50 ms to parse. */
const hostPattern = /^(\[[\da-f:.]+\]|[\w.-]{1,255})(:\d+)?$/i;

function urlOf({ url: target = '', headers: { host = '' }, socket }: IncomingMessage): URL | undefined {
  const scheme = (socket as TLSSocket).encrypted ? 'https' : 'http';
  const hostInTarget = /^https?:\/\/([^/?#]*)/.exec(target)?.[1];
  const named = hostInTarget ?? (host === '' && target === healthPath ? 'localhost' : host);
  const isWhole = hostInTarget !== undefined;
  if ((!isWhole && !target.startsWith('/')) || !hostPattern.test(named)) return undefined;
  const text = isWhole ? target : `${scheme}://${named}${target}`;
  return /^[^?]*\\/.test(text) || !URL.canParse(text) ? undefined : new URL(text);
}

function send({ status, headers = {}, body }: Answer, outgoing: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  // Until the caller has read the answer, Node would keep a string and also a copy of its bytes in memory.
  const bytes = body === undefined ? undefined : Buffer.from(body);
  if (bytes) outgoing.setHeader('Content-Length', bytes.length);
  outgoing.writeHead(status);
  if (bytes) outgoing.write(bytes);
  else outgoing.flushHeaders();
}
