import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { sendEvent } from './channel.ts';

export interface Connections {
  add(number: number, socket: unknown, server: Server): void;
  numberOf(socket: Socket): number;
  /** Returns a function to call when the work for the request is done, which may be after the answer. */
  begin(socket: Socket, outgoing: ServerResponse): () => void;
  /** Closes each connection after its next answer or the time-out, and tells the parent when all work is done. */
  retire(): void;
}

export const keepAliveMs = 5_000;

/** Node's `closeIdleConnections` knows no connections of a server that does not listen, so they are counted here. */
export function createConnections(): Connections {
  const numbers = new Map<Socket, number>();
  const open = new Map<Socket, ServerResponse | undefined>();
  let unfinished = 0;
  let isRetired = false;

  const endIfIdle = () => {
    if (isRetired && open.size === 0 && unfinished === 0) sendEvent({ kind: 'idle' });
  };

  return {
    add(number, socket, server) {
      // The socket is undefined if the caller left while the connection was handed over.
      if (!(socket instanceof Socket)) return sendEvent({ kind: 'closed', connection: number });
      numbers.set(socket, number);
      open.set(socket, undefined);
      socket.once('close', () => {
        open.delete(socket);
        sendEvent({ kind: 'closed', connection: number });
        endIfIdle();
      });
      server.emit('connection', socket);
      socket.resume();
    },
    numberOf: (socket) => numbers.get(socket) ?? 0,
    begin(socket, outgoing) {
      unfinished += 1;
      open.set(socket, outgoing);
      if (isRetired) {
        outgoing.shouldKeepAlive = false;
        socket.setTimeout(0);
      }
      outgoing.once('close', () => {
        if (open.has(socket)) open.set(socket, undefined);
      });
      return () => {
        unfinished -= 1;
        endIfIdle();
      };
    },
    retire() {
      isRetired = true;
      for (const [socket, outgoing] of open) {
        // A request may be on its way, so the connection stays open. Node has no time-out before the first request.
        if (outgoing === undefined) socket.setTimeout(keepAliveMs);
        else outgoing.shouldKeepAlive = false;
      }
      endIfIdle();
    },
  };
}
