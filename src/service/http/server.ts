// An HTTP server, with or without TLS. Limits connections and times, and finishes requests before it closes.
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
/** Longer than `requestTimeout`, so that a request that arrives too slowly is answered with 408. */
const idleMs = 40_000;
const closingMs = 5_000;
/** Together with `closingMs` less than ten seconds, after which many supervisors kill a process. */
const drainingMs = 3_000;
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
/**
 * Node announces this time to clients in whole seconds: five. So a client closes an idle connection before the service
 * does. If the service closed the connection first, a request that is on its way would be lost.
 */
const keepAliveMs = 5_999;
/** Proxies close an idle connection earlier, so no proxy sends a request while the service closes the connection. */
const proxyKeepAliveMs = 150_000;
const secure = { minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } as const;
/** Statuses in the log for requests without an answer. */
const notAnswered = { disconnected: 499, incomplete: 408 };
/** These values are set here, so that command line flags of Node cannot change them. */
const parsing = { maxHeaderSize: 16_384, insecureHTTPParser: false, requireHostHeader: false };

export interface AnsweredRequest {
  method: string;
  /** Without the query, which may contain a secret. */
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
   * Whether the limit of connections applies to an address. A proxy is not limited, because it connects for many
   * callers.
   */
  isLimited(address: string): boolean;
  /** Whether all callers come through a proxy, which keeps its connections open. */
  isBehindProxy?: boolean;
  onAnswered?(answered: AnsweredRequest): void;
}

type Certificate = { cert: Buffer; key: Buffer };

export interface Server {
  port: number;
  requestsUnderWay(): number;
  /** New connections use this certificate. Open connections keep theirs. */
  renew(certificate: Certificate): void;
  /**
   * Goes on answering, but closes each connection after its answer. Resolves when no connection is left, or after some
   * seconds.
   */
  drain(): Promise<void>;
  /** Accepts no more connections and finishes the requests under way, for some seconds at most. */
  close(): Promise<void>;
}

export async function listen(listener: RequestListener, options: ListenOptions): Promise<Server> {
  const { host, port, certificate, onAnswered } = options;
  const turns = createTurns();
  // Includes connections whose TLS handshake is not finished.
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
    ? // Loaded only if it is used, because node:https takes longer to load than the rest of the service.
      process.getBuiltinModule('node:https').createServer({ ...plain, ...secure, ...certificate }, handle)
    : createServer(plain, handle);
  // 0 means no limit. With a limit, Node would silently drop further headers, even headers that are checked later.
  server.maxHeadersCount = 0;
  server.maxConnections = mostConnections;
  // Closes the connections of callers that do not read their answers.
  server.timeout = idleMs;
  server.on('clientError', (error, socket: Socket) => {
    // During a TLS handshake, no answer can be sent. If an answer has already begun, the caller would take a second answer
    // for the answer to the next request.
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
    // Twice the default of Node. If this queue is full, the caller's system tries to connect again only after a second.
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
