// Keeps the connections to the service. Each connection serves one request at a time.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Clock } from '../../lib/clock.ts';
import { type CancelConnect, createDirectConnect } from './connect.ts';
import { type ProxyAddress, throughProxy } from './proxy.ts';

export const connectTimeoutMs = 5_000;

export interface SocketError extends NodeJS.ErrnoException {
  receivedNothing?: boolean;
}

interface Connection {
  client: Client;
  /** True until a request connects. If a service ends each connection immediately, undici would connect again for ever. */
  mayConnect: boolean;
}

export interface Agent {
  take(): Connection;
  giveBack(connection: Connection): void;
  close(): Promise<void>;
}

export function createAgent(origin: string, proxy: ProxyAddress | undefined, clock: Clock): Agent {
  const connect = proxy === undefined ? createDirectConnect() : throughProxy(createDirectConnect(), proxy);
  const connecting = new Set<CancelConnect>();
  const connections: Connection[] = [];
  const free: Connection[] = [];

  function createConnection(): Connection {
    const connection: Connection = {
      mayConnect: true,
      client: new Client(origin, {
        // Without this number, undici would obey Node's option --max-http-header-size, and a small number would break answers.
        maxHeaderSize: 16_384,
        connect(target, callback) {
          if (!connection.mayConnect) return queueMicrotask(() => callback(endedUnused(), null));
          connection.mayConnect = false;
          connectInTime(target, callback);
        },
      }),
    };
    connections.push(connection);
    return connection;
  }

  const connectInTime: buildConnector.connector = (target, callback) => {
    const cancel = connect(target, (error, socket) => {
      connecting.delete(cancel);
      cancelTimeout();
      if (error !== null) return callback(error, null);
      adaptErrorsOf(socket);
      callback(null, socket);
    });
    connecting.add(cancel);
    const cancelTimeout = clock.after(connectTimeoutMs, () => cancel(connectTimeout()));
  };

  return {
    take() {
      const connection = free.pop() ?? createConnection();
      connection.mayConnect = true;
      return connection;
    },
    giveBack: (connection) => void free.push(connection),
    async close() {
      const reason = new Error('closed');
      for (const cancel of connecting) cancel(reason);
      await Promise.all(connections.map(({ client }) => client.destroy(reason)));
    },
  };
}

function adaptErrorsOf(socket: Socket): void {
  socket.on('error', (error: SocketError) => {
    // undici takes ECONNRESET for the regular end of a body without a length, so the code is changed.
    if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
    error.receivedNothing = socket.bytesRead === 0;
  });
}

const connectTimeout = (): Error => Object.assign(new Error('connect time-out'), { code: 'ETIMEDOUT' });
const endedUnused = (): Error => new Error('the connection ended before anything was sent');
