import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LocalError } from '../../core/errors.ts';
import { isLoopback } from '../../core/settings/addresses.ts';
import { watchFiles } from '../changes.ts';
import { answerForPages } from '../protocol.ts';
import { passOn } from './pass-on.ts';
import { type Serving, type ServingOptions, startServing } from './serving-process.ts';

export interface ServeOptions extends Omit<ServingOptions, 'prepare'> {
  /** A save of these files, or of those that the val loads, starts a new process. */
  files: readonly string[];
  prepare(onFile: (path: string) => void): ReturnType<ServingOptions['prepare']>;
  port: number;
  host: string;
  onFinished(request: FinishedRequest): void;
}

interface FinishedRequest {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
}

export interface Served {
  url: string;
  close(signal: NodeJS.Signals): Promise<void>;
}

/** Answers HTTP at one address, and passes each request on to the newest process of the val. */
export async function serveVal(options: ServeOptions): Promise<Served> {
  const { clock, prepare, onFinished, host } = options;
  const onlyLoopback = isLoopback(host) || host === '::1';
  const processes = new Set<Serving>();
  const answers = new Set<Promise<void>>();
  let isClosed = false;

  function start(): Serving {
    const serving = startServing({ ...options, prepare: () => prepare(changes.follow) });
    processes.add(serving);
    void serving.ended.then(() => processes.delete(serving));
    return serving;
  }

  function replaceNewest(): void {
    newest.retire();
    newest = start();
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = incoming;
    const startedAt = clock.now();
    outgoing.once('close', () => {
      const status = outgoing.headersSent ? outgoing.statusCode : callerLeft;
      onFinished({ method, path, status, milliseconds: clock.now() - startedAt });
    });
    if (onlyLoopback && !isForLoopback(incoming)) return respond(outgoing, 403, otherName);
    if (incoming.headers.upgrade?.toLowerCase() === 'websocket')
      return respond(outgoing, 501, 'vals run does not serve WebSockets.');
    await changes.seen();
    if (isClosed || outgoing.destroyed) return void outgoing.destroy();
    if (!newest.isUsable()) replaceNewest();
    const serving = newest;
    outgoing.once('close', serving.begin());
    const own = await passOn(incoming, outgoing, { ...options, serving });
    if (own !== undefined) answerForPages(outgoing, own.status, own.text);
  }

  const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
    // A request may still come on a connection that was kept.
    if (isClosed) return void incoming.socket.destroy();
    const answered = answer(incoming, outgoing)
      // Such as an answer with headers that Node refuses to send.
      .catch((error) => answerForPages(outgoing, 500, `${error}`))
      .finally(() => answers.delete(answered));
    answers.add(answered);
  });
  const url = await listen(server, options);
  // Requests under way finish in the process that has them.
  const changes = watchFiles(options.files, clock, replaceNewest);
  let newest = start();

  return {
    url,
    async close(signal) {
      isClosed = true;
      changes.close();
      server.close();
      await Promise.all([...processes].map((serving) => serving.end(signal)));
      await Promise.all(answers);
      server.closeAllConnections();
    },
  };
}

/** Nobody gets this status. It stands in the line of a request whose caller left before the answer. */
const callerLeft = 499;

/** A web page of somebody else could reach the val by a name that leads to this machine (DNS rebinding). */
const isForLoopback = ({ headers: { host = '' } }: IncomingMessage): boolean =>
  isLoopback(host.replace(/:\d+$/, '').toLowerCase());

const otherName =
  'This val answers only requests for localhost or a loopback address. To serve other names, use --host.';

const plainText = { 'content-type': 'text/plain; charset=utf-8' };

const respond = (outgoing: ServerResponse, status: number, text: string): void =>
  void outgoing.writeHead(status, plainText).end(`${text}\n`);

function listen(server: Server, { port, host }: ServeOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const problem = error.code === 'EADDRINUSE' ? 'is in use' : `could not be opened: ${error.message}`;
      reject(
        new LocalError(`Port ${port} on ${host} ${problem}.`, {
          hint: 'Omit --port to use a free port.',
          cause: error,
        }),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      const actual = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });
}
