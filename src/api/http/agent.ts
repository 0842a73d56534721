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
  /**
   * A request may connect only once. Otherwise undici would reconnect for ever to a service that closes each connection
   * immediately.
   */
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
        // Without this limit, a low --max-http-header-size in NODE_OPTIONS would make undici reject normal answers.
        maxHeaderSize: 16_384,
        connect(target, callback) {
          // undici does not expect the callback before this function has returned.
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
    // `connect` never calls back before it has returned, so the callback can use `cancel` and `cancelTimeout`.
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
    // With the code ECONNRESET, undici would accept an incomplete body without a Content-Length as complete.
    if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
    error.receivedNothing = socket.bytesRead === 0;
  });
}

const connectTimeout = (): Error => Object.assign(new Error('connect time-out'), { code: 'ETIMEDOUT' });
const endedUnused = (): Error => new Error('the connection ended before anything was sent');
