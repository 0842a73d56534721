// A loopback address in front of the val's process: it lets in who may ask, and outlives what the process does not.
import { randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { LocalError, type RunFailedError } from '../errors.ts';
import { endingFailure, thrownFailure, tookTooLong } from './failure.ts';
import { startProcess, type ValProcess } from './process.ts';
import { requestHeader, secretHeader } from './protocol.ts';
import type { RunOptions } from './run.ts';
import { createSources, type Entry } from './sources.ts';

export interface ServeOptions extends Omit<RunOptions, 'entry' | 'args' | 'signal'> {
  port: number;
  /** Called for each request that was answered. */
  onAnswered(answered: Answered): void;
  /** The val does not load, or its process ended. */
  onFailure(failure: RunFailedError): void;
  /** The files that it is made of. */
  onFile(path: string): void;
}

interface Answered {
  method: string;
  /** Without its query, which may hold a secret. */
  path: string;
  status: number;
  startedAt: number;
  endedAt: number;
  failure: RunFailedError | undefined;
  entry: Entry;
}

export interface Served {
  url: string;
  /** Requests from now on go to this code. */
  use(entry: Entry): void;
  close(): Promise<void>;
}

/** A process with one state of the code, as long as it lasts. */
interface Generation {
  entry: Entry;
  child: ValProcess;
  secret: string;
  port: Promise<number>;
  failures: Map<number, RunFailedError>;
  /** What is under way. */
  requests: number;
  isOver: boolean;
}

export async function serveVal(first: Entry, options: ServeOptions): Promise<Served> {
  const { maxSeconds, clock, onAnswered, onFailure } = options;
  const agent = new Agent({ keepAlive: true });
  let current = start(first);
  let requests = 0;

  function start(entry: Entry): Generation {
    const secret = randomUUID();
    const failures = new Map<number, RunFailedError>();
    let listening: (port: number) => void = () => {};
    let failed: (failure: RunFailedError) => void = () => {};
    const port = new Promise<number>((resolve, reject) => {
      listening = resolve;
      failed = reject;
    });
    // Said at once; each request is told again.
    port.catch(() => {});
    const sources = createSources(entry, options.onFile);
    const child = startProcess({
      ...options,
      onReport(report) {
        if ('load' in report) {
          child.send({ module: sources.answer(report.load.specifier, report.load.from) });
        } else if ('listening' in report) {
          listening(report.listening);
        } else if ('failed' in report) {
          const failure = thrownFailure(entry.name, report.failed, sources);
          if (report.request !== undefined) return void failures.set(report.request, failure);
          onFailure(failure);
          failed(failure);
        }
      },
      onBytes() {},
    });
    child.send({ start: { entry: sources.entry(), args: [], serve: { secret } } });
    const generation = { entry, child, secret, port, failures, requests: 0, isOver: false };
    void child.ended.then((ending) => {
      generation.isOver = true;
      failed(endingFailure(entry.name, ending));
    });
    return generation;
  }

  /** A process that has ended by itself is started anew for the next request, unless the code does not load. */
  async function ready(): Promise<{ generation: Generation; port: number }> {
    const before = current;
    const loads = before.port.then(
      () => true,
      () => false,
    );
    if (before.isOver && (await loads) && current === before) current = start(before.entry);
    const generation = current;
    return { generation, port: await generation.port };
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = clock.now();
    const number = requests++;
    const { method = 'GET', url = '/' } = incoming;
    let failure: RunFailedError | undefined;
    let { entry } = current;
    try {
      const { generation, port } = await ready();
      entry = generation.entry;
      generation.requests++;
      failure = await forward(port, generation, number, incoming, outgoing);
      generation.requests--;
      retire(generation);
      failure ??= generation.failures.get(number);
      generation.failures.delete(number);
    } catch (error) {
      failure = error as RunFailedError;
      refuse(outgoing, 500, failure.message);
    }
    const path = url.replace(/[?#].*$/s, '');
    const { statusCode: status } = outgoing;
    onAnswered({ method, path, status, startedAt, endedAt: clock.now(), failure, entry });
  }

  function forward(
    port: number,
    generation: Generation,
    number: number,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<RunFailedError | undefined> {
    return new Promise((resolve) => {
      let failure: RunFailedError | undefined;
      const { method, url: path } = incoming;
      const own = [secretHeader, generation.secret, requestHeader, `${number}`];
      const headers = [...withoutOwn(incoming.rawHeaders), ...own];
      const onward = request({ host: '127.0.0.1', port, method, path, headers, agent, setHost: false });
      const giveUp = clock.after(maxSeconds * 1_000, () => {
        failure = tookTooLong(generation.entry.name, maxSeconds);
        refuse(outgoing, 504, failure.message);
        // A val that is busy hears nothing else; the next request goes to a new process.
        generation.isOver = true;
        generation.child.end();
      });
      const over = () => {
        giveUp();
        resolve(failure);
      };
      outgoing.once('close', () => {
        onward.destroy();
        over();
      });
      onward.once('error', async () => {
        // It closes the connection only when it ends, and its end may be known a moment later.
        failure ??= endingFailure(generation.entry.name, await generation.child.ended);
        refuse(outgoing, 502, failure.message);
      });
      onward.once('response', (answered) => {
        outgoing.writeHead(answered.statusCode ?? 502, answered.statusMessage, answered.rawHeaders);
        pipeline(answered, outgoing).catch(() => outgoing.destroy());
      });
      pipeline(incoming, onward).catch(() => {});
    });
  }

  function retire(generation: Generation): void {
    if (generation !== current && generation.requests === 0) generation.child.end();
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
    current.child.end();
    throw new LocalError(
      `Port ${options.port} on 127.0.0.1 ${error.code === 'EADDRINUSE' ? 'is in use' : `could not be opened: ${error.message}`}.`,
      { hint: 'Without --port a free one is taken.', cause: error },
    );
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(entry) {
      const before = current;
      current = start(entry);
      retire(before);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      current.child.end();
      await current.child.ended;
    },
  };
}

/** What could not be handed to a val as the web's Request, too. */
function refusalOf(
  { method, url = '', headers }: IncomingMessage,
  port: number,
): [number, string] | undefined {
  if (!isOwnAddress(headers.host, port)) return [403, 'This val answers only under its loopback address.'];
  if (!url.startsWith('/')) return [400, 'The target of a request has to be a path.'];
  return method === 'TRACE' ? [405, 'A val takes no TRACE.'] : undefined;
}

/** Keeps web pages out that have another name point here. */
function isOwnAddress(host: string | undefined, port: number): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].some((name) => host?.toLowerCase() === `${name}:${port}`);
}

function withoutOwn(headers: readonly string[]): string[] {
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : []));
  return pairs.filter(([name = '']) => ![secretHeader, requestHeader].includes(name.toLowerCase())).flat();
}

function refuse(outgoing: ServerResponse, status: number, message: string): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
}
