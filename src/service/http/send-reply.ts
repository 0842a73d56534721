import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceReply } from '../request.ts';

const silenceMs = 500;

export async function sendReply(
  { status, headers = {}, body = '' }: ServiceReply,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if (outgoing.destroyed) return;
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (status !== 204 && status !== 304) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
  outgoing.writeHead(status);
  if (body === '') outgoing.flushHeaders();
  else outgoing.write(body);
  // Node itself skips the rest of a body, unless it closes the connection. A client that is still sending could then
  // lose the reply.
  if (!incoming.complete && !outgoing.shouldKeepAlive) await skipBody(incoming);
  outgoing.end();
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
