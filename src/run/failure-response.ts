import { createServer } from 'node:http';
import type { Socket } from 'node:net';

/** Otherwise a page of another origin could not show what went wrong. */
const readableByPages = { 'content-type': 'text/plain; charset=utf-8', 'access-control-allow-origin': '*' };
const reasons: Record<number, string> = { 500: 'Internal Server Error', 504: 'Gateway Timeout' };

/** Answers on a connection whose process cannot do it any more. */
export function respond(socket: Socket, status: number, message: string): void {
  const body = Buffer.from(`${message}\n`);
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    ...Object.entries(readableByPages).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  // What the caller still sends is read and dropped. Otherwise the system would reset the connection.
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}

interface FailureServer {
  accept(socket: Socket): void;
}

/** Answers each request in the place of a val that could not be started. */
export function createFailureServer(
  message: string,
  onRequest: (method: string, path: string) => void,
): FailureServer {
  const server = createServer(({ method = 'GET', url = '/' }, outgoing) => {
    outgoing.writeHead(500, { ...readableByPages, connection: 'close' });
    outgoing.end(`${message}\n`);
    onRequest(method, url);
  });
  return {
    accept(socket) {
      server.emit('connection', socket);
      socket.resume();
    },
  };
}
