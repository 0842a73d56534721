import { createServer, type Socket } from 'node:net';
import { LocalError } from '../errors.ts';
import type { Entry } from './modules.ts';
import { type Serving, type ServingOptions, startServing } from './serving-process.ts';

export interface ServeOptions extends ServingOptions {
  port: number;
  host: string;
}

export interface Served {
  url: string;
  /** New connections go to this code. Requests under way finish on the old code. */
  reload(entry: Entry): void;
  close(signal: NodeJS.Signals): Promise<void>;
}

/** Accepts the connections, so that the address stays, and hands each to the process that runs the current code. */
export async function serveVal(first: Entry, options: ServeOptions): Promise<Served> {
  let connections = 0;
  let isClosed = false;
  const retired = new Set<Serving>();
  let current = startServing(first, options, assignAll);

  async function assign(socket: Socket): Promise<void> {
    await options.isUpToDate();
    if (isClosed) socket.destroy();
    if (socket.destroyed) return;
    if (!current.isUsable()) current = startServing(current.entry, options, assignAll);
    current.accept(connections++, socket);
  }

  function assignAll(sockets: readonly Socket[]): void {
    for (const socket of sockets) void assign(socket);
  }

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    void assign(socket);
  });
  await listen(server, options).catch((error) => {
    void current.end('SIGKILL');
    throw error;
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    reload(entry) {
      const before = current;
      current = startServing(entry, options, assignAll);
      retired.add(before);
      void before.retire().then(() => retired.delete(before));
    },
    async close(signal) {
      isClosed = true;
      server.close();
      await Promise.all([current, ...retired].map((serving) => serving.end(signal)));
    },
  };
}

function listen(server: ReturnType<typeof createServer>, { port, host }: ServeOptions): Promise<void> {
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
    server.listen(port, host, resolve);
  });
}
