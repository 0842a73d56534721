// Requests of one connection are answered one after another; those sent ahead wait, and how many wait is limited.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** With so many waiting, a connection is not read until there are fewer. */
const mostBeforePause = 16;
/** What was read in one piece can hold more than that, though never more than this in requests with a token. */
const mostOfOne = 1_000;
const mostOfAll = 10_000;

interface Turn {
  outgoing: ServerResponse;
  begin(): void;
}

export interface Turns {
  /** To be called once for each connection. */
  add(socket: Socket): void;
  isKnown(socket: Socket): boolean;
  sockets(): Iterable<Socket>;
  /** The answer under way. */
  current(socket: Socket): ServerResponse | undefined;
  /**
   * Begins a request once those before it on the connection are answered, and their answers are read. False if too many
   * wait: the request is to be refused and its connection ended. All later ones of the connection are dropped.
   */
  take(socket: Socket, outgoing: ServerResponse, on: { begin(): void; onIdle(): void }): boolean;
}

export function createTurns(): Turns {
  const queues = new Map<Socket, Turn[]>();
  const refused = new WeakSet<Socket>();
  let waiting = 0;

  return {
    add(socket) {
      const queue: Turn[] = [];
      queues.set(socket, queue);
      // Node resumes the connection by itself whenever a body is read.
      socket.on('resume', () => {
        if (queue.length > mostBeforePause) socket.pause();
      });
      socket.once('close', () => {
        waiting -= Math.max(0, queue.length - 1);
        queues.delete(socket);
      });
    },
    isKnown: (socket) => queues.has(socket),
    sockets: () => queues.keys(),
    current: (socket) => queues.get(socket)?.[0]?.outgoing,
    take(socket, outgoing, { begin, onIdle }) {
      const queue = queues.get(socket);
      if (!queue || refused.has(socket)) return true;
      const isFirst = queue.length === 0;
      if (!isFirst && (queue.length >= mostOfOne || waiting >= mostOfAll)) {
        refused.add(socket);
        return false;
      }
      outgoing.once('close', () => {
        if (!queues.has(socket)) return;
        queue.shift();
        const [next] = queue;
        if (!next) return onIdle();
        waiting -= 1;
        if (queue.length === mostBeforePause) socket.resume();
        next.begin();
      });
      queue.push({ outgoing, begin });
      if (isFirst) begin();
      else waiting += 1;
      if (queue.length > mostBeforePause) socket.pause();
      return true;
    },
  };
}
