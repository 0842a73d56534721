// Begins the requests of one connection one after another, and limits the number of requests that wait.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createRateLimit } from './rate-limit.ts';

/**
 * If a connection has more unanswered requests than this, the service stops reading from the connection for a while.
 */
const mostBeforePause = 16;
/**
 * The limit of unanswered requests on one connection. One read from the socket can contain more requests than this, but
 * only if the requests are too short to contain a token.
 */
const mostOfOneConnection = 1_000;
/**
 * The limit of waiting requests on all connections together. A connection whose request exceeds the limit is closed.
 */
const mostOfAll = 10_000;
/**
 * Limits the number of waiting requests that one address may add per second, because parsing 2,000 requests takes 20 to
 * 50 ms. Above the limit, the service stops reading from all connections of the address for `pauseOfAddressMs`.
 */
const parsedForAddress = { perSecond: 2_000, inFlight: Number.POSITIVE_INFINITY };
/**
 * A chunked body counts like this many requests. Before the service can refuse the body, Node parses 64 KB of the body,
 * which may be ten thousand tiny chunks.
 */
const costOfChunkedBody = 400;
const pauseOfAddressMs = 1_000;
/**
 * The number of requests that begin in one turn of the event loop. A higher number would make turns longer and delay
 * new callers, because the event loop accepts one connection per turn.
 */
const begunPerTurn = 16;

interface Turn {
  outgoing: ServerResponse;
  begin(): void;
}

interface Connection {
  address: string | undefined;
  /** The first request in the queue has begun. The other requests wait. */
  queue: Turn[];
  /** The number of requests that were not queued, because the connection had too many requests. */
  dropped: number;
  isRefused: boolean;
}

export interface Turns {
  /** Must be called once for each connection. `address` is undefined for a proxy, because proxies have no limit. */
  add(socket: Socket, address: string | undefined): void;
  isKnown(socket: Socket): boolean;
  sockets(): Iterable<Socket>;
  currentAnswer(socket: Socket): ServerResponse | undefined;
  /**
   * Adds a request to the queue of its connection. The request begins when all earlier requests of the connection are
   * answered, and the client has read the answers. Returns false if too many requests wait: then the function that
   * called `take` must refuse the request and end the connection. Later requests of the connection are dropped.
   */
  take(
    socket: Socket,
    outgoing: ServerResponse,
    on: { isChunked: boolean; begin(): void; onIdle(): void },
  ): boolean;
}

export function createTurns(): Turns {
  const connections = new Map<Socket, Connection>();
  const ready: (() => void)[] = [];
  const parseLimit = createRateLimit(parsedForAddress, () => performance.now());
  const pausedAddresses = new Set<string>();
  let waiting = 0;

  const beginSome = () => {
    for (const begin of ready.splice(0, begunPerTurn)) begin();
    if (ready.length > 0) setImmediate(beginSome);
  };
  const beginSoon = (socket: Socket, { begin }: Turn) => {
    if (ready.length === 0) setImmediate(beginSome);
    ready.push(() => {
      if (connections.has(socket)) begin();
    });
  };

  const mayBeRead = ({ address, queue }: Connection) =>
    queue.length <= mostBeforePause && !(address !== undefined && pausedAddresses.has(address));
  const pauseAddress = (address: string) => {
    if (pausedAddresses.has(address)) return;
    pausedAddresses.add(address);
    const ofAddress = () => [...connections].filter(([, connection]) => connection.address === address);
    for (const [socket] of ofAddress()) socket.pause();
    setTimeout(() => {
      pausedAddresses.delete(address);
      for (const [socket, connection] of ofAddress()) if (mayBeRead(connection)) socket.resume();
    }, pauseOfAddressMs).unref();
  };

  const countParsed = (address: string | undefined, cost = 1) => {
    if (address === undefined) return;
    const leave = parseLimit.enter(address, cost);
    if (leave) leave();
    else pauseAddress(address);
  };

  const countWaiting = (socket: Socket, { address }: Connection) => {
    waiting += 1;
    if (waiting > mostOfAll) socket.destroy();
    countParsed(address);
  };

  return {
    add(socket, address) {
      const connection: Connection = { address, queue: [], dropped: 0, isRefused: false };
      connections.set(socket, connection);
      // Node resumes every new connection, and every connection whose request body is read. If the connection must not
      // be read yet, it is paused again.
      socket.on('resume', () => {
        if (!mayBeRead(connection)) socket.pause();
      });
      socket.once('close', () => {
        waiting -= Math.max(0, connection.queue.length - 1) + connection.dropped;
        connections.delete(socket);
      });
    },
    isKnown: (socket) => connections.has(socket),
    sockets: () => connections.keys(),
    currentAnswer: (socket) => connections.get(socket)?.queue[0]?.outgoing,
    take(socket, outgoing, { isChunked, begin, onIdle }) {
      const connection = connections.get(socket);
      if (!connection) return true;
      const { address, queue } = connection;
      if (isChunked) countParsed(address, costOfChunkedBody);
      if (connection.isRefused || queue.length >= mostOfOneConnection) {
        const isFirstRefused = !connection.isRefused;
        connection.isRefused = true;
        connection.dropped += 1;
        countWaiting(socket, connection);
        return !isFirstRefused;
      }
      outgoing.once('close', () => {
        if (!connections.has(socket)) return;
        queue.shift();
        const [next] = queue;
        if (!next) return onIdle();
        waiting -= 1;
        if (queue.length === mostBeforePause && mayBeRead(connection)) socket.resume();
        beginSoon(socket, next);
      });
      const turn = { outgoing, begin };
      queue.push(turn);
      if (queue.length === 1) beginSoon(socket, turn);
      else countWaiting(socket, connection);
      if (!mayBeRead(connection)) socket.pause();
      return true;
    },
  };
}
