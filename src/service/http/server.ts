import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setDefaultHighWaterMark } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { LocalError } from '../../errors.ts';
import { Problem } from '../problem.ts';
import { createHandshakes } from './handshakes.ts';
import { limitKey } from './network.ts';
import { type BucketLimits, createRateLimit } from './rate-limit.ts';
import { answerMalformed, refuse } from './refusals.ts';
import { createTurns } from './turns.ts';

const mostHeaders = 100;
const mostConnections = 1_000;
/** Each request under way takes a connection of the proxy, and one caller could otherwise use all of them. */
const mostConnectionsBehindProxy = 10_000;
const mostConnectionsPerAddress = 200;
/** `idleMs` must be longer than `requestTimeout`, so that a slow request gets the answer 408. */
const idleMs = 40_000;
/**
 * `closingMs` and `drainingMs` together must be less than ten seconds, because Docker kills a process ten
 * seconds after the request to stop.
 */
const closingMs = 5_000;
const drainingMs = 3_000;
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
/**
 * Node rounds down and announces 5 seconds to clients. So a client closes an idle connection before the
 * service does, and no request is lost.
 */
const keepAliveMs = 5_999;
/**
 * Must be longer than the idle timeout of proxies. Otherwise a proxy could send a request to a connection
 * that the service is closing.
 */
const proxyKeepAliveMs = 150_000;
/** Node passes on every TLS record by itself, so a record of one byte costs as much as one of a thousand bytes. */
const smallRecordBytes = 1_024;
const smallRecordsPerAddress = { perSecond: 10_000, inFlight: Number.POSITIVE_INFINITY };
/**
 * The bytes that Node buffers if it cannot pass them on. With its usual 65,536 bytes, a caller who sends each byte in a chunk
 * or a TLS record of its own would fill 20 MB on each connection.
 */
const bufferedBytes = 1_024;
/**
 * TLS 1.3 is left out, because Node has no limit for its key updates: a stranger who sends nothing but key updates makes
 * everybody else wait. The groups of `ecdhCurve` are the fast ones: with ffdhe8192, the first message of a handshake takes
 * 0.6 s.
 */
const secure = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE+AESGCM:ECDHE+CHACHA20',
  ecdhCurve: 'X25519:P-256:P-384',
  handshakeTimeout: 10_000,
} as const;
const notAnswered = { disconnected: 499, incomplete: 408 };
/** Sets `maxHeaderSize` and `insecureHTTPParser`, so that the command line of Node cannot change them. */
const parsing = { maxHeaderSize: 16_384, insecureHTTPParser: false, requireHostHeader: false };

export interface AnsweredRequest {
  method: string;
  path: string;
  status: number;
  ms: number;
  incoming: IncomingMessage;
}

interface ListenOptions {
  host: string;
  port: number;
  certificate?: Certificate;
  isLimited(address: string): boolean;
  isBehindProxy?: boolean;
  onAnswered?(answered: AnsweredRequest): void;
  handshakes?: BucketLimits;
  smallRecords?: BucketLimits;
}

type Certificate = { cert: Buffer; key: Buffer };

export interface Server {
  port: number;
  requestsUnderWay(): number;
  renew(certificate: Certificate): void;
  drain(): Promise<void>;
  close(): Promise<void>;
}

export async function listen(listener: RequestListener, options: ListenOptions): Promise<Server> {
  const { host, port, certificate, onAnswered } = options;
  const turns = createTurns();
  const connections = new Set<Socket>();
  let draining = false;
  let closing = false;
  let onLastGone = () => {};
  let underWay = 0;

  const answer: RequestListener = (incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const start = process.uptime();
    // Node drops the requests that follow a request with an Upgrade header. Closing the connection shows the caller
    // that these requests are lost.
    if (draining || incoming.headers.upgrade !== undefined) outgoing.shouldKeepAlive = false;
    underWay += 1;
    outgoing.once('close', () => {
      underWay -= 1;
      // The query is left out of the log, because a query may contain a secret.
      const path = url.replace(/[?#].*$/s, '');
      onAnswered?.({
        method,
        path,
        status: statusOf(incoming, outgoing),
        ms: (process.uptime() - start) * 1_000,
        incoming,
      });
    });
    if (!hasTooManyHeaders(incoming)) return listener(incoming, outgoing);
    refuse(outgoing, new Problem(431, `The request has more than ${mostHeaders} headers.`));
  };
  const handle: RequestListener = (incoming, outgoing) => {
    const { socket } = incoming;
    const isTaken = turns.take(socket, outgoing, {
      isCostly: hasTooManyHeaders(incoming) || incoming.headers['transfer-encoding'] !== undefined,
      begin: () => answer(incoming, outgoing),
      discard: () => void incoming.resume(),
      onIdle() {
        if (closing) socket.destroySoon();
      },
    });
    if (!isTaken)
      refuse(
        outgoing,
        new Problem(
          429,
          'The connection has too many unanswered requests, or one with a chunked body or too many headers. Wait for answers before you send more requests.',
        ),
      );
  };
  const keepAliveTimeout = options.isBehindProxy ? proxyKeepAliveMs : keepAliveMs;
  const plain = { ...timeouts, keepAliveTimeout, ...parsing, highWaterMark: bufferedBytes };
  const server = certificate
    ? process.getBuiltinModule('node:https').createServer({ ...plain, ...secure, ...certificate }, handle)
    : createServer(plain, handle);
  // Without this listener, Node itself would answer requests with an unknown Expect header, and no limit would apply
  // to these requests.
  server.on('checkExpectation', handle);
  // Node 20 drops the headers above this limit, and later versions report an error. Either way, the request is refused.
  server.maxHeadersCount = mostHeaders + 1;
  server.maxConnections = options.isBehindProxy ? mostConnectionsBehindProxy : mostConnections;
  server.timeout = idleMs;
  server.on('clientError', (error, socket: Socket) => {
    // Until the answer is sent, each TLS record that the caller adds is an error again.
    if (turns.isKnown(socket) && socket.writableEnded) return;
    // After an answer has begun, the client would treat a second answer as the answer to its next request.
    if (turns.isKnown(socket) && !turns.currentAnswer(socket)?.headersSent) answerMalformed(error, socket);
    else socket.destroy();
  });
  // Applies to the whole process, because the option `highWaterMark` has no effect on TLS connections.
  if (certificate) setDefaultHighWaterMark(false, bufferedBytes);
  const countByAddress = new Map<string, number>();
  const handshakes = createHandshakes(options.handshakes);
  const mayConnect = (socket: Socket, address: string, count: number) =>
    count <= mostConnectionsPerAddress && (!certificate || handshakes.mayBegin(socket, address));
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
    if (options.isLimited(remoteAddress) && !mayConnect(socket, address, count)) socket.destroy();
  });
  const recordLimit = createRateLimit(options.smallRecords ?? smallRecordsPerAddress, () =>
    performance.now(),
  );
  server.on(certificate ? 'secureConnection' : 'connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const address = options.isLimited(remoteAddress) ? limitKey(remoteAddress) : undefined;
    const countRecord = ({ length }: Buffer) => {
      if (address === undefined) return;
      if (length < smallRecordBytes && !recordLimit.spend(address)) socket.destroy();
      turns.countReceived(address, length);
    };
    // Over TLS, Node may pass data to a parser that it has paused, and the next request on the connection would be
    // lost. With a listener, Node reads through the stream of the socket, which waits while the parser is paused.
    if (certificate) socket.on('data', countRecord);
    // Ends the connection if the caller asks for a second handshake. With SSL_OP_NO_RENEGOTIATION instead, OpenSSL would
    // answer thousands of such requests before Node could end the connection.
    if (certificate) (socket as TLSSocket).disableRenegotiation();
    if (certificate) handshakes.end(socket);
    turns.add(socket, { address, isSecure: certificate !== undefined });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
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

const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage) => rawHeaders.length > 2 * mostHeaders;

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
    const hostOption = option.replace('port', 'host');
    return new LocalError(`${host} is not an address of this machine.`, {
      hint: `Set ${hostOption} to an address of this machine, or to 0.0.0.0 for all its addresses.`,
      cause: error,
    });
  }
  const useFreePort = `To use any free port, set ${option} to 0.`;
  if (error.code === 'EADDRINUSE') {
    return new LocalError(`Port ${port} on ${host} is in use by another program.`, {
      hint: `End the other program, or use another port. ${useFreePort}`,
      cause: error,
    });
  }
  return new LocalError(`Port ${port} on ${host} could not be opened: ${error.message}.`, {
    hint: `Use another port. ${useFreePort}`,
    cause: error,
  });
}
