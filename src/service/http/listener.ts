import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { App } from '../app.ts';
import type { ServiceReply } from '../request.ts';
import type { Listener } from './server.ts';

const silenceMs = 500;

export function createListener(app: App): Listener {
  return async (incoming, outgoing, onRoute) => {
    const { method = '' } = incoming;
    const reply = await app({ incoming, method, url: urlOf(incoming), onRoute }, outgoing);
    if (outgoing.destroyed) return;
    send(reply, outgoing);
    // Node itself skips the rest of a body, unless it closes the connection. A client that is still sending could then
    // lose the reply.
    if (!incoming.complete && !outgoing.shouldKeepAlive) await skipBody(incoming);
    outgoing.end();
  };
}

async function skipBody(incoming: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    const silence = setTimeout(resolve, silenceMs);
    incoming.on('data', () => silence.refresh());
    incoming.once('close', () => {
      clearTimeout(silence);
      resolve();
    });
  });
}

function urlOf({ url: target = '', headers, socket }: IncomingMessage): URL | undefined {
  const scheme = (socket as TLSSocket).encrypted ? 'https' : 'http';
  const isWhole = /^https?:\/\//.test(target);
  const { host = '' } = headers;
  // The health check is answered whatever the Host header says, and `checkHost` refuses such a header everywhere else.
  const isHost = /^[^/?#@\\]+$/.test(host) && URL.canParse(`${scheme}://${host}`);
  const text = isWhole ? target : `${scheme}://${isHost ? host : 'localhost'}${target}`;
  return (isWhole || target.startsWith('/')) && URL.canParse(text) ? new URL(text) : undefined;
}

function send({ status, headers = {}, body = '' }: ServiceReply, outgoing: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (status !== 204 && status !== 304) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
  outgoing.writeHead(status);
  if (body === '') outgoing.flushHeaders();
  else outgoing.write(body);
}
