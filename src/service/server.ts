// An HTTP server on the loopback address that waits for nobody for ever, and ends without cutting anybody off.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { LocalError } from '../errors.ts';
import { Problem, problemText, problemType } from './problem.ts';

export const loopbackAddress = '127.0.0.1';

const mostHeaders = 100;
const mostConnections = 1_000;
const idleMs = 30_000;
const closingMs = 5_000;
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
};
/** Whatever flags Node was started with. */
const parsing = { maxHeaderSize: 16_384, insecureHTTPParser: false };

/** A request and what became of it. */
export interface Answered {
  method: string;
  /** Without its query, which may hold a secret. */
  path: string;
  status: number;
  ms: number;
}

interface Server {
  port: number;
  /** Stops accepting and finishes what is under way, or gives up on it after some seconds. */
  close(): Promise<void>;
}

export async function listen(
  listener: RequestListener,
  port: number,
  onAnswered: (answered: Answered) => void = () => {},
): Promise<Server> {
  // Node takes a connection for idle only after its first request, so it cannot say which ones to close.
  const requestsUnderWay = new Map<Socket, number>();
  let closing = false;
  const count = (socket: Socket, change: number) => {
    const requests = (requestsUnderWay.get(socket) ?? 0) + change;
    if (requestsUnderWay.has(socket)) requestsUnderWay.set(socket, requests);
    if (closing && requests === 0) socket.destroySoon();
    return requests;
  };

  const server = createServer({ ...timeouts, ...parsing }, (incoming, outgoing) => {
    const { socket, method = '', url = '' } = incoming;
    const start = performance.now();
    const requests = count(socket, 1);
    outgoing.once('close', () => {
      count(socket, -1);
      const path = url.replace(/[?#].*$/s, '');
      onAnswered({ method, path, status: outgoing.statusCode, ms: performance.now() - start });
    });
    const problem = problemOf(incoming, requests);
    if (problem === undefined) return listener(incoming, outgoing);
    outgoing.statusCode = problem.status;
    // The first refusal ends the connection, whatever else was sent ahead.
    if (requests <= 2) refuse(outgoing, problem);
  });
  // Node would leave out those that are too many, without a word, and what is checked at the door could be among them.
  server.maxHeadersCount = 0;
  server.maxConnections = mostConnections;
  // For those who do not read their answer.
  server.timeout = idleMs;
  server.on('clientError', answerMalformed);
  server.on('connection', (socket) => {
    requestsUnderWay.set(socket, 0);
    socket.once('close', () => requestsUnderWay.delete(socket));
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, loopbackAddress, resolve);
  }).catch((error) => {
    throw listenError(error, port);
  });

  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of requestsUnderWay.keys()) count(socket, 0);
      const patience = setTimeout(() => server.closeAllConnections(), closingMs);
      await closed;
      clearTimeout(patience);
    },
  };
}

function listenError(error: NodeJS.ErrnoException, port: number): LocalError {
  const inUse = error.code === 'EADDRINUSE';
  return new LocalError(
    `Port ${port} on ${loopbackAddress} ${inUse ? 'is in use' : `could not be opened: ${error.message}`}.`,
    { hint: 'Use --port 0 for a free port, or end the program that holds it.', cause: error },
  );
}

/** An answer that is not read stays in memory, and one for each request that was sent ahead would fill it. */
function problemOf({ rawHeaders }: IncomingMessage, requests: number): Problem | undefined {
  if (requests > 1) return new Problem(400, 'A connection takes one request at a time.');
  if (rawHeaders.length > 2 * mostHeaders) return new Problem(431, 'There are too many headers.');
  return undefined;
}

function refuse(outgoing: ServerResponse, problem: Problem): void {
  outgoing.setHeader('Content-Type', problemType);
  outgoing.setHeader('Connection', 'close');
  outgoing.end(problemText(problem));
}

/** What Node could not parse it gives to nobody else. */
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
    `Content-Type: ${problemType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
