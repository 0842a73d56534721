import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { LocalError, ValsError } from '../errors.ts';
import { createSlots, type Slots } from '../lib/slots.ts';
import { forward, refuse } from './forward.ts';
import type { LaunchOptions } from './run.ts';
import { type ServingProcess, startServing } from './serving-process.ts';
import type { Entry } from './sources.ts';

export interface ServeOptions extends LaunchOptions {
  port: number;
  onAnswered(answered: Answered): void;
  onFailure(failure: ValsError): void;
}

interface Answered {
  method: string;
  pathWithoutQuery: string;
  status: number;
  startedAt: number;
  endedAt: number;
  failure: ValsError | undefined;
  entry: Entry;
}

export interface Served {
  url: string;
  use(entry: Entry): void;
  close(): Promise<void>;
}

/**
 * The requests of one connection are forwarded one after the other. Otherwise, a caller that sends many requests without
 * waiting for the answers would open a connection to the val for each of them.
 */
interface Connection {
  slots: Slots;
  unanswered: number;
}

const mostUnanswered = 1_000;

type Refusal = [status: number, message: string];

export async function serveVal(first: Entry, options: ServeOptions): Promise<Served> {
  const { clock, maxSeconds, onAnswered, onFailure } = options;
  const agent = new Agent({ keepAlive: true });
  let current = startServing(first, options, onFailure);
  const connections = new WeakMap<Socket, Connection>();
  let requests = 0;

  async function ready(): Promise<ServingProcess> {
    const before = current;
    const loads = before.port.then(
      () => true,
      () => false,
    );
    if (before.isRetired() && (await loads) && current === before) {
      current = startServing(before.entry, options, onFailure);
    }
    return current;
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = clock.now();
    const requestNumber = requests++;
    const { method = 'GET', url = '/' } = incoming;
    let serving = current;
    let failure: ValsError | undefined;
    try {
      serving = await ready();
      const port = await serving.port;
      const hasCallerLeft = outgoing.closed || incoming.socket.destroyed;
      if (hasCallerLeft) return;
      serving.begin(requestNumber);
      failure = await forward({ incoming, outgoing, serving, port, requestNumber, agent, clock, maxSeconds });
      failure = serving.finish(requestNumber) ?? failure;
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      failure = error;
      refuse(outgoing, serving.hasStartedTooSlowly() ? 504 : 500, failure.message);
    }
    const pathWithoutQuery = url.replace(/[?#].*$/s, '');
    const { statusCode: status } = outgoing;
    const { entry } = serving;
    onAnswered({ method, pathWithoutQuery, status, startedAt, endedAt: clock.now(), failure, entry });
  }

  const server = createServer((incoming, outgoing) => {
    const { port } = server.address() as AddressInfo;
    const connection = connections.get(incoming.socket) ?? { slots: createSlots(1), unanswered: 0 };
    connections.set(incoming.socket, connection);
    const refusal = refusalOf(incoming, port) ?? refusalOn(connection);
    if (refusal !== undefined) {
      incoming.resume();
      return refuse(outgoing, ...refusal);
    }
    connection.unanswered += 1;
    void connection.slots
      .run(() => answer(incoming, outgoing))
      .finally(() => {
        connection.unanswered -= 1;
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    current.end();
    const problem = error.code === 'EADDRINUSE' ? 'is in use' : `could not be opened: ${error.message}`;
    throw new LocalError(`Port ${options.port} on 127.0.0.1 ${problem}.`, {
      hint: 'Omit --port to use a free port.',
      cause: error,
    });
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(entry) {
      const before = current;
      current = startServing(entry, options, onFailure);
      before.retire();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      current.end();
      await current.ended;
    },
  };
}

function isFromOtherSite(headers: IncomingHttpHeaders, addresses: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode } = headers;
  if (origin !== undefined) return !addresses.some((address) => origin === `http://${address}`);
  return site !== 'none' && site !== 'same-origin' && mode !== 'navigate';
}

const refusalOn = ({ unanswered }: Connection): Refusal | undefined =>
  unanswered < mostUnanswered
    ? undefined
    : [429, `More than ${mostUnanswered} requests wait for an answer on this connection.`];

function refusalOf(
  { method, url = '', headers, headersDistinct }: IncomingMessage,
  port: number,
): Refusal | undefined {
  if (headersDistinct.host?.length !== 1) return [400, 'A request must have one Host header.'];
  const addresses = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`);
  // The Host header must be checked, because the host name of an attacker may resolve to 127.0.0.1 (DNS rebinding).
  if (!addresses.includes(headers.host?.toLowerCase() ?? '')) {
    return [403, 'This val answers only requests to 127.0.0.1 or localhost.'];
  }
  if (isFromOtherSite(headers, addresses)) {
    return [403, 'This val answers no requests from pages of other sites.'];
  }
  if (!url.startsWith('/')) return [400, 'The URL of a request must be a path that begins with /.'];
  return method === 'TRACE' ? [405, 'A val answers no TRACE requests.'] : undefined;
}
