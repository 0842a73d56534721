// An HTTP server, with or without TLS, with a time limit for every caller, that finishes what is under way before it ends.
import { createServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { LocalError } from '../errors.ts';
import { limitedAs } from './network.ts';
import { Problem, problemHeaders, problemText } from './problem.ts';
import { createTurns } from './turns.ts';

const mostHeaders = 100;
const mostConnections = 1_000;
const mostOfOneAddress = 200;
/** Longer than a request may take to arrive, so that its sender is told. */
const idleMs = 40_000;
const closingMs = 5_000;
/** With the time to close, less than the ten seconds after which many supervisors kill. */
const drainingMs = 3_000;
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
const keepAliveMs = 5_000;
/** Longer than proxies keep an idle connection, or one would send a request into a connection that ends just then. */
const proxyKeepAliveMs = 150_000;
const secure = { minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } as const;
/** For the log, where no answer was given: its caller went away, or never sent all of it. */
const [gone, unfinished] = [499, 408];
/** Whatever flags Node was started with. */
const parsing = { maxHeaderSize: 16_384, insecureHTTPParser: false, requireHostHeader: false };

/** A request and what became of it. */
export interface Answered {
  method: string;
  /** Without its query, which may hold a secret. */
  path: string;
  status: number;
  ms: number;
}

interface ListenOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** For TLS. */
  certificate?: Certificate;
  /** Whether a limit of connections applies to this address: not to a proxy, whose connections are those of others. */
  isLimited(address: string): boolean;
  /** Whether none but proxies, which keep their connections for the requests of others, are taken in. */
  isBehindProxy?: boolean;
  onAnswered?(answered: Answered): void;
}

type Certificate = { cert: Buffer; key: Buffer };

interface Server {
  port: number;
  /** For new connections; those that are open keep the one they began with. */
  renew(certificate: Certificate): void;
  /** Goes on answering, and sends everybody away: ends when no connection is left, or after some seconds. */
  drain(): Promise<void>;
  /** Stops accepting and finishes what is under way, or gives up on it after some seconds. */
  close(): Promise<void>;
}

export async function listen(listener: RequestListener, options: ListenOptions): Promise<Server> {
  const { host, port, certificate, onAnswered } = options;
  const turns = createTurns();
  // Below TLS: some of these never get as far as a request.
  const connections = new Set<Socket>();
  let draining = false;
  let closing = false;
  let onLastGone = () => {};

  const answer: RequestListener = (incoming, outgoing) => {
    const { method = '', url = '', rawHeaders } = incoming;
    const start = process.uptime();
    if (draining) outgoing.shouldKeepAlive = false;
    outgoing.once('close', () => {
      const path = url.replace(/[?#].*$/s, '');
      const status = outgoing.headersSent ? outgoing.statusCode : incoming.complete ? gone : unfinished;
      onAnswered?.({ method, path, status, ms: (process.uptime() - start) * 1_000 });
    });
    if (rawHeaders.length <= 2 * mostHeaders) return listener(incoming, outgoing);
    refuse(outgoing, new Problem(431, 'There are too many headers.'));
  };
  const handle: RequestListener = (incoming, outgoing) => {
    const { socket } = incoming;
    const isTaken = turns.take(socket, outgoing, {
      begin: () => answer(incoming, outgoing),
      onIdle: () => closing && socket.destroySoon(),
    });
    if (!isTaken) refuse(outgoing, new Problem(429, 'Too many requests were sent ahead of their answers.'));
  };
  const keepAliveTimeout = options.isBehindProxy ? proxyKeepAliveMs : keepAliveMs;
  const plain = { ...timeouts, keepAliveTimeout, ...parsing };
  const server = certificate
    ? // Loaded where it is used: what it is made of takes longer to load than the rest of the service.
      process.getBuiltinModule('node:https').createServer({ ...plain, ...secure, ...certificate }, handle)
    : createServer(plain, handle);
  // Node would leave out those that are too many, without a word, and what is checked at the door could be among them.
  server.maxHeadersCount = 0;
  server.maxConnections = mostConnections;
  // For those who do not read their answer.
  server.timeout = idleMs;
  server.on('clientError', (error, socket: Socket) => {
    // Before the end of a handshake nothing can be said. After an early answer, a second one would be taken for the
    // answer to the next request.
    if (turns.isKnown(socket) && !turns.current(socket)?.headersSent) answerMalformed(error, socket);
    else socket.destroy();
  });
  const countByAddress = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const address = limitedAs(remoteAddress);
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
    turns.add(socket);
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Node's own queue is half as long, and a connection that finds it full is tried again a second later.
    server.listen({ port, host, backlog: mostConnections }, resolve);
  }).catch((error) => {
    throw listenError(error, host, port);
  });

  const sendAway = () => {
    draining = true;
    for (const socket of turns.sockets()) {
      const current = turns.current(socket);
      if (current) current.shouldKeepAlive = false;
    }
  };

  return {
    port: (server.address() as AddressInfo).port,
    renew: (certificate) =>
      'setSecureContext' in server && server.setSecureContext({ ...secure, ...certificate }),
    async drain() {
      sendAway();
      if (connections.size === 0) return;
      await new Promise<void>((done) => {
        const patience = setTimeout(done, drainingMs);
        onLastGone = () => {
          clearTimeout(patience);
          done();
        };
      });
    },
    async close() {
      sendAway();
      closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of turns.sockets()) if (!turns.current(socket)) socket.destroySoon();
      const patience = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, closingMs);
      await closed;
      clearTimeout(patience);
    },
  };
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): LocalError {
  if (error.code === 'EADDRNOTAVAIL') {
    return new LocalError(`${host} is not an address of this machine.`, {
      hint: 'Name one that it has with --host; 0.0.0.0 is all of them.',
      cause: error,
    });
  }
  const inUse = error.code === 'EADDRINUSE';
  return new LocalError(
    `Port ${port} on ${host} ${inUse ? 'is in use' : `could not be opened: ${error.message}`}.`,
    { hint: 'Use --port 0 for a free port, or end the program that holds it.', cause: error },
  );
}

function refuse(outgoing: ServerResponse, problem: Problem): void {
  outgoing.statusCode = problem.status;
  for (const [name, value] of Object.entries(problemHeaders(problem))) outgoing.setHeader(name, value);
  outgoing.setHeader('Connection', 'close');
  outgoing.end(problemText(problem));
}

/** What Node could not parse does not reach the routes. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  const problems: Record<string, Problem> = {
    HPE_HEADER_OVERFLOW: new Problem(431, 'The headers are too large.'),
    ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request did not arrive in time.'),
  };
  const problem = problems[`${error.code}`] ?? new Problem(400, 'The request is not HTTP.');
  const body = problemText(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Connection: close',
    ...Object.entries(problemHeaders(problem)).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
