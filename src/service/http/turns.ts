import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createRateLimit } from './rate-limit.ts';

const unansweredBeforePause = 16;
const mostUnansweredPerConnection = 1_000;
const mostWaiting = 10_000;
const parsedRequestsPerAddress = { perSecond: 2_000, inFlight: Number.POSITIVE_INFINITY };
/**
 * A request with a chunked body or too many headers counts as 400 requests, because Node may parse ten thousand tiny
 * chunks or headers before the service can refuse the request.
 */
const costOfCostlyRequest = 400;
const receivedBytesPerAddress = { perSecond: 16 * 1024 * 1024, inFlight: Number.POSITIVE_INFINITY };
const pauseOfAddressMs = 1_000;
const begunPerTurn = 16;

interface Turn {
  outgoing: ServerResponse;
  begin(): void;
}

interface Connection {
  address: string | undefined;
  isSecure: boolean;
  queue: Turn[];
  dropped: number;
  isRefused: boolean;
}

export interface Turns {
  add(socket: Socket, caller: { address: string | undefined; isSecure: boolean }): void;
  countReceived(address: string, bytes: number): void;
  isKnown(socket: Socket): boolean;
  sockets(): Iterable<Socket>;
  currentAnswer(socket: Socket): ServerResponse | undefined;
  take(
    socket: Socket,
    outgoing: ServerResponse,
    on: { isCostly: boolean; begin(): void; discard(): void; onIdle(): void },
  ): boolean;
}

export function createTurns(): Turns {
  const connections = new Map<Socket, Connection>();
  const ready: (() => void)[] = [];
  const parseLimit = createRateLimit(parsedRequestsPerAddress, () => performance.now());
  const byteLimit = createRateLimit(receivedBytesPerAddress, () => performance.now());
  const pausedAddresses = new Set<string>();
  let waiting = 0;

  const beginSome = () => {
    for (const begin of ready.splice(0, begunPerTurn)) begin();
    if (ready.length > 0) setImmediate(beginSome);
  };
  const beginSoon = (socket: Socket, { outgoing, begin }: Turn) => {
    if (ready.length === 0) setImmediate(beginSome);
    ready.push(() => {
      // After an answer that closes the connection, Node gives no socket to the next answer. That answer would never
      // end, so its request would count as under way for ever.
      if (connections.has(socket) && outgoing.socket) begin();
    });
  };

  const mayBeRead = ({ address, queue, isRefused }: Connection) =>
    !isRefused &&
    queue.length <= unansweredBeforePause &&
    !(address !== undefined && pausedAddresses.has(address));
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
    if (address !== undefined && !parseLimit.spend(address, cost)) pauseAddress(address);
  };

  const countWaiting = (socket: Socket, { address }: Connection) => {
    waiting += 1;
    if (waiting > mostWaiting) socket.destroy();
    countParsed(address);
  };

  return {
    add(socket, caller) {
      const connection: Connection = { ...caller, queue: [], dropped: 0, isRefused: false };
      connections.set(socket, connection);
      // Pauses the connection again, because Node resumes a paused connection to read a body.
      socket.on('resume', () => {
        if (!mayBeRead(connection)) socket.pause();
      });
      socket.once('close', () => {
        waiting -= Math.max(0, connection.queue.length - 1) + connection.dropped;
        connections.delete(socket);
      });
    },
    countReceived(address, bytes) {
      if (!byteLimit.spend(address, bytes)) pauseAddress(address);
    },
    isKnown: (socket) => connections.has(socket),
    sockets: () => connections.keys(),
    currentAnswer: (socket) => connections.get(socket)?.queue[0]?.outgoing,
    take(socket, outgoing, { isCostly, begin, discard, onIdle }) {
      const connection = connections.get(socket);
      if (!connection) return true;
      const { address, isSecure, queue } = connection;
      if (isCostly) countParsed(address, costOfCostlyRequest);
      // While a request waits, Node keeps each chunk of its body in memory by itself, and a chunk of one byte takes 400.
      const isCostlyAhead = isCostly && queue.some((turn) => !turn.outgoing.headersSent);
      const mostUnanswered = isSecure ? unansweredBeforePause : mostUnansweredPerConnection;
      if (connection.isRefused || isCostlyAhead || queue.length >= mostUnanswered) {
        if (isSecure) {
          // A pause would let the caller send tiny TLS records that nothing counts: Node still decrypts all bytes that it
          // has already read.
          socket.destroy();
          // Node parses all requests of a record, even after the connection is closed.
          countParsed(address);
          return true;
        }
        const isFirstRefused = !connection.isRefused;
        connection.isRefused = true;
        connection.dropped += 1;
        discard();
        socket.pause();
        countWaiting(socket, connection);
        return !isFirstRefused;
      }
      outgoing.once('close', () => {
        if (!connections.has(socket)) return;
        queue.shift();
        const [next] = queue;
        if (!next) return onIdle();
        waiting -= 1;
        if (queue.length === unansweredBeforePause && mayBeRead(connection)) socket.resume();
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
