// An HTTP server, with or without TLS. The server limits connections and times, and finishes open requests before it
// closes.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { LocalError } from '../../errors.ts';
import { Problem } from '../problem.ts';
import { limitKey } from './network.ts';
import { answerMalformed, refuse } from './refusals.ts';
import { createTurns } from './turns.ts';

const mostHeaders = 100;
const mostConnections = 1_000;
const mostOfOneAddress = 200;
/** Must be longer than `requestTimeout`, so that a request that arrives too slowly is answered with 408. */
const idleMs = 40_000;
const closingMs = 5_000;
/**
 * The sum of `drainingMs` and `closingMs` must be less than ten seconds, because many supervisors kill a process after
 * ten seconds.
 */
const drainingMs = 3_000;
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
/**
 * The service closes an idle connection after this time. Node tells clients "5 seconds", so clients close the
 * connection first. If the service closed the connection first, a request that is on its way would be lost.
 */
const keepAliveMs = 5_999;
/** Like `keepAliveMs`, for a service behind a proxy. Proxies close an idle connection earlier than this. */
const proxyKeepAliveMs = 150_000;
const secure = { minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } as const;
/** The log shows these statuses for requests that got no answer. */
const notAnswered = { disconnected: 499, incomplete: 408 };
/** Explicit values, so that the flags --max-http-header-size and --insecure-http-parser of Node have no effect. */
const parsing = { maxHeaderSize: 16_384, insecureHTTPParser: false, requireHostHeader: false };

export interface AnsweredRequest {
  method: string;
  /** The path of the URL without the query, because the query may contain a secret. */
  path: string;
  status: number;
  ms: number;
  incoming: IncomingMessage;
}

interface ListenOptions {
  host: string;
  port: number;
  certificate?: Certificate;
  /**
   * Returns false for the address of a proxy: the limit of connections does not apply, because a proxy connects for
   * many callers.
   */
  isLimited(address: string): boolean;
  /** True if all callers come through a proxy. A proxy keeps its connections to the service open. */
  isBehindProxy?: boolean;
  onAnswered?(answered: AnsweredRequest): void;
}

type Certificate = { cert: Buffer; key: Buffer };

export interface Server {
  port: number;
  requestsUnderWay(): number;
  /** New connections use the new certificate. Open connections keep the previous certificate. */
  renew(certificate: Certificate): void;
  /**
   * Continues to answer requests, but closes each connection after one answer. The promise resolves when no connection
   * is open, or after `drainingMs`.
   */
  drain(): Promise<void>;
  /** Accepts no more connections and finishes the open requests. Closes all connections after `closingMs`. */
  close(): Promise<void>;
}

export async function listen(listener: RequestListener, options: ListenOptions): Promise<Server> {
  const { host, port, certificate, onAnswered } = options;
  const turns = createTurns();
  // All connections, including connections whose TLS handshake is not finished.
  const connections = new Set<Socket>();
  let draining = false;
  let closing = false;
  let onLastGone = () => {};
  let underWay = 0;

  const answer: RequestListener = (incoming, outgoing) => {
    const { method = '', url = '', rawHeaders } = incoming;
    const start = process.uptime();
    if (draining) outgoing.shouldKeepAlive = false;
    underWay += 1;
    outgoing.once('close', () => {
      underWay -= 1;
      const path = url.replace(/[?#].*$/s, '');
      onAnswered?.({
        method,
        path,
        status: statusOf(incoming, outgoing),
        ms: (process.uptime() - start) * 1_000,
        incoming,
      });
    });
    if (rawHeaders.length <= 2 * mostHeaders) return listener(incoming, outgoing);
    refuse(outgoing, new Problem(431, 'The request has too many headers.'));
  };
  const handle: RequestListener = (incoming, outgoing) => {
    const { socket } = incoming;
    const isTaken = turns.take(socket, outgoing, {
      isChunked: incoming.headers['transfer-encoding'] !== undefined,
      begin: () => answer(incoming, outgoing),
      onIdle() {
        if (closing) socket.destroySoon();
      },
    });
    if (!isTaken) refuse(outgoing, new Problem(429, 'The connection has too many unanswered requests.'));
  };
  const keepAliveTimeout = options.isBehindProxy ? proxyKeepAliveMs : keepAliveMs;
  const plain = { ...timeouts, keepAliveTimeout, ...parsing };
  const server = certificate
    ? // node:https is loaded only for TLS, because it takes longer to load than the rest of the service.
      process.getBuiltinModule('node:https').createServer({ ...plain, ...secure, ...certificate }, handle)
    : createServer(plain, handle);
  // 0 means no limit. With a limit, Node would silently drop the headers above the limit, even a header that the
  // service must check, such as Origin.
  server.maxHeadersCount = 0;
  server.maxConnections = mostConnections;
  // Node closes a connection after this time without traffic, for example if the caller does not read the answer.
  server.timeout = idleMs;
  server.on('clientError', (error, socket: Socket) => {
    // An answer is sent only if the TLS handshake is finished and no other answer has begun. After an answer that has
    // begun, the caller would read a second answer as the answer to the next request.
    if (turns.isKnown(socket) && !turns.currentAnswer(socket)?.headersSent) answerMalformed(error, socket);
    else socket.destroy();
  });
  const countByAddress = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const address = limitKey(remoteAddress);
    const count = (countByAddress.get(address) ?? 0) + 1;
    countByAddress.set(address, count);
    connections.add(socket);
    socket.once('close', () => {
      const left = (countByAddress.get(address) ?? 0) - 1;
      if (left > 0) countByAddress.set(address, left);
      else countByAddress.delete(address);
      connections.delete(socket);
      if (connections.size === 0) onLastGone();
    });
    if (count > mostOfOneAddress && options.isLimited(remoteAddress)) socket.destroy();
  });
  server.on(certificate ? 'secureConnection' : 'connection', (socket) => {
    const { remoteAddress = '' } = socket;
    turns.add(socket, options.isLimited(remoteAddress) ? limitKey(remoteAddress) : undefined);
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The backlog is twice the default of Node. If the backlog is full, a new caller has to wait for a second, because
    // the operating system of the caller repeats the attempt only then.
    server.listen({ port, host, backlog: mostConnections }, resolve);
  }).catch((error) => {
    throw listenError(error, host, port);
  });

  const closeAfterAnswers = () => {
    draining = true;
    for (const socket of turns.sockets()) {
      const current = turns.currentAnswer(socket);
      if (current) current.shouldKeepAlive = false;
    }
  };

  return {
    port: (server.address() as AddressInfo).port,
    requestsUnderWay: () => underWay,
    renew(certificate) {
      if ('setSecureContext' in server) server.setSecureContext({ ...secure, ...certificate });
    },
    async drain() {
      closeAfterAnswers();
      if (connections.size === 0) return;
      await new Promise<void>((done) => {
        const timeout = setTimeout(done, drainingMs);
        onLastGone = () => {
          clearTimeout(timeout);
          done();
        };
      });
    },
    async close() {
      closeAfterAnswers();
      closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of turns.sockets()) if (!turns.currentAnswer(socket)) socket.destroySoon();
      const timeout = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, closingMs);
      await closed;
      clearTimeout(timeout);
    },
  };
}

function statusOf(incoming: IncomingMessage, outgoing: ServerResponse): number {
  if (outgoing.headersSent) return outgoing.statusCode;
  return incoming.complete ? notAnswered.disconnected : notAnswered.incomplete;
}

export function listenError(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  option: '--port' | '--metrics-port' = '--port',
): LocalError {
  if (error.code === 'EADDRNOTAVAIL') {
    return new LocalError(`${host} is not an address of this machine.`, {
      hint: `Use an address of this machine with ${option.replace('port', 'host')}, or 0.0.0.0 for all of them.`,
      cause: error,
    });
  }
  const inUse = error.code === 'EADDRINUSE';
  return new LocalError(
    `Port ${port} on ${host} ${inUse ? 'is in use' : `could not be opened: ${error.message}`}.`,
    { hint: `Use ${option} 0 for a free port, or end the program that uses port ${port}.`, cause: error },
  );
}
