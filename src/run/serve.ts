// Serves a val on a loopback address. Checks each request, limits the time, and replaces the val's process when the
// process ends.
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalError, ValsError } from '../errors.ts';
import { forward, refuse } from './forward.ts';
import type { LaunchOptions } from './run.ts';
import { type ServingProcess, startServing } from './serving-process.ts';
import type { Entry } from './sources.ts';

export interface ServeOptions extends LaunchOptions {
  port: number;
  onAnswered(answered: Answered): void;
  /** Called if the code of the val does not load. */
  onFailure(failure: ValsError): void;
}

interface Answered {
  method: string;
  /** The path without the query, because a query may contain a secret. */
  path: string;
  status: number;
  startedAt: number;
  endedAt: number;
  failure: ValsError | undefined;
  entry: Entry;
}

export interface Served {
  url: string;
  /** Requests that arrive after this call are answered with the code of `entry`. */
  use(entry: Entry): void;
  close(): Promise<void>;
}

export async function serveVal(first: Entry, options: ServeOptions): Promise<Served> {
  const { clock, maxSeconds, onAnswered, onFailure } = options;
  const agent = new Agent({ keepAlive: true });
  let current = startServing(first, options, onFailure);
  let requests = 0;

  /**
   * If the process has ended or takes no more requests, starts a new process. If the code does not load, starts no new
   * process.
   */
  async function ready(): Promise<{ serving: ServingProcess; port: number }> {
    const before = current;
    const loads = before.port.then(
      () => true,
      () => false,
    );
    if (before.isRetired() && (await loads) && current === before) {
      current = startServing(before.entry, options, onFailure);
    }
    const serving = current;
    return { serving, port: await serving.port };
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = clock.now();
    const request = requests++;
    const { method = 'GET', url = '/' } = incoming;
    let { entry } = current;
    let failure: ValsError | undefined;
    try {
      const { serving, port } = await ready();
      entry = serving.entry;
      serving.begin(request);
      failure = await forward({ incoming, outgoing, serving, port, request, agent, clock, maxSeconds });
      failure = serving.finish(request) ?? failure;
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      failure = error;
      refuse(outgoing, 500, failure.message);
    }
    const path = url.replace(/[?#].*$/s, '');
    const { statusCode: status } = outgoing;
    onAnswered({ method, path, status, startedAt, endedAt: clock.now(), failure, entry });
  }

  const server = createServer((incoming, outgoing) => {
    const { port } = server.address() as AddressInfo;
    const refusal = refusalOf(incoming, port);
    if (refusal === undefined) return void answer(incoming, outgoing);
    incoming.resume();
    refuse(outgoing, ...refusal);
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

/**
 * Browsers send headers that name the site of the page that made the request. If the user followed a link from another
 * site, the request is allowed.
 */
function isFromOtherSite(headers: IncomingHttpHeaders, addresses: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode } = headers;
  if (origin !== undefined) return !addresses.some((address) => origin === `http://${address}`);
  return site !== 'none' && site !== 'same-origin' && mode !== 'navigate';
}

/** Returns why a request is refused. Also refuses requests that a web `Request` cannot represent, such as TRACE. */
function refusalOf(
  { method, url = '', headers }: IncomingMessage,
  port: number,
): [status: number, message: string] | undefined {
  const addresses = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  // An attacker's host name may lead to this address (DNS rebinding), so the host header is checked.
  if (!addresses.includes(headers.host?.toLowerCase() ?? '')) {
    return [403, 'This val answers only under its loopback address.'];
  }
  if (isFromOtherSite(headers, addresses)) {
    return [403, 'This val takes no requests from pages of other sites.'];
  }
  if (!url.startsWith('/')) return [400, 'The target of a request has to be a path.'];
  return method === 'TRACE' ? [405, 'A val takes no TRACE requests.'] : undefined;
}
