import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalError } from '../../core/errors.ts';
import { mostConnections } from '../limits.ts';
import type { Certificate } from './certificate.ts';

/**
 * Longer than `requestTimeout`, so that a slow request gets the reply 408, and than the minute that clients wait for a reply,
 * because many searches at a time take that long. A client that does not read its reply is given twice this time: at the
 * first timeout, Node sees that the kernel has taken a part of the reply, and starts anew.
 */
const idleMs = 70_000;
/** Must be less than ten seconds, because Docker kills a process ten seconds after the request to stop. */
const closingMs = 5_000;
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
/**
 * Longer than clients and proxies keep an idle connection, so that none of them sends a request on one that the service is
 * closing. Node rounds down, and announces 150 seconds.
 */
const keepAliveTimeout = 150_999;
const withoutReply = { failed: 500, disconnected: 499, incomplete: 408 };
/** What the log and the metrics show if no route was found, or the listener failed. */
export const unknownRoute = 'none';

/** Who asked for what, as far as it is known. */
export interface RequestFacts {
  /** The path of the route that was found. */
  route: string;
  person?: string | undefined;
  /** The name of the token. */
  token?: string | undefined;
  /** The person or the space whose base URL was asked. */
  owner?: string | undefined;
  /** The id of the val. */
  val?: string | undefined;
  /** The properties of the val that the request changed. */
  changed?: readonly string[] | undefined;
  /** What the val is after a write, unless it was and stays private. */
  privacy?: string | undefined;
  /** The token that was made or ended. */
  about?: { name: string; id: string } | undefined;
}

export interface FinishedRequest extends RequestFacts {
  method: string;
  path: string;
  status: number;
  ms: number;
}

export interface InternalError {
  method: string;
  route: string;
  error: Error;
}

interface ListenOptions {
  host: string;
  port: number;
  certificate?: Certificate;
  onFinished?(answered: FinishedRequest): void;
  onInternalError?(failure: InternalError): void;
}

interface Server {
  port: number;
  requestsUnderWay(): number;
  close(): Promise<void>;
}

/** Answers a request. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<RequestFacts>;

export async function listen(listener: Listener, options: ListenOptions): Promise<Server> {
  const { onFinished, onInternalError } = options;
  const underWay = new Set<ServerResponse>();
  let isEnding = false;

  const handle: RequestListener = (incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const start = performance.now();
    if (isEnding) outgoing.shouldKeepAlive = false;
    underWay.add(outgoing);
    const answering = listener(incoming, outgoing).catch((error): RequestFacts => {
      onInternalError?.({ method, route: unknownRoute, error });
      outgoing.destroy(error);
      return { route: unknownRoute };
    });
    outgoing.once('close', async () => {
      underWay.delete(outgoing);
      // The query is left out of the log, because a query may contain a secret.
      const path = url.replace(/[?#].*$/s, '');
      const finished = { method, path, status: statusOf(incoming, outgoing), ms: performance.now() - start };
      onFinished?.({ ...finished, ...(await answering) });
    });
  };
  const server = createHttpServer(handle, options);
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const port = await startListening(server, options);

  return {
    port,
    requestsUnderWay: () => underWay.size,
    async close() {
      isEnding = true;
      for (const outgoing of underWay) outgoing.shouldKeepAlive = false;
      const closed = new Promise((resolve) => server.close(resolve));
      const answered = Promise.all([...underWay].map((outgoing) => once(outgoing, 'close')));
      await Promise.race([answered, sleep(closingMs, undefined, { ref: false })]);
      // Node closes the connections that have had a request. Browsers open others, and leave them without a request.
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Returns the port. */
export async function startListening(
  server: NetServer,
  { host, port }: { host: string; port: number },
  option: PortOption = '--port',
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, resolve);
  }).catch((error) => {
    throw listenError(error, { host, port }, option);
  });
  return (server.address() as AddressInfo).port;
}

function createHttpServer(handle: RequestListener, { certificate }: ListenOptions) {
  // The health check may come without a Host header, and `checkHost` refuses it everywhere else.
  const settings = { ...timeouts, keepAliveTimeout, requireHostHeader: false };
  const server = certificate
    ? process.getBuiltinModule('node:https').createServer({ ...settings, ...certificate }, handle)
    : createServer(settings, handle);
  server.maxConnections = mostConnections;
  server.timeout = idleMs;
  // A client may send its next request while Node still ends a large reply. Over TLS, Node 20 to 26 pass this request to
  // a parser that they have paused, and then close the connection (HPE_PAUSED). With a listener, Node reads through the
  // stream of the socket, which waits while the parser is paused.
  server.on('secureConnection', (socket: Socket) => void socket.on('data', () => {}));
  return server;
}

function statusOf(incoming: IncomingMessage, outgoing: ServerResponse): number {
  if (outgoing.headersSent) return outgoing.statusCode;
  if (outgoing.errored) return withoutReply.failed;
  return incoming.complete ? withoutReply.disconnected : withoutReply.incomplete;
}

type PortOption = '--port' | '--metrics-port';

function listenError(
  error: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
  option: PortOption,
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
