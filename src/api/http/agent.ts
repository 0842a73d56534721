// The connections to the service, direct or through a proxy. Each connection serves one exchange at a time.
import type { buildConnector } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Clock } from '../../lib/clock.ts';
import { createDirectConnect } from './connect.ts';
import { type ProxyAddress, throughProxy } from './proxy.ts';

export const connectTimeoutMs = 5_000;

/** An error of a connection that was already open. */
export interface SocketError extends NodeJS.ErrnoException {
  /** Whether nothing has arrived on this connection. */
  isUnanswered?: boolean;
}

interface Connection {
  client: Client;
  /** False once the current exchange has begun to connect. */
  mayConnect: boolean;
}

export interface Agent {
  /** Returns a connection for one exchange. The caller must hand it back with `giveBack`. */
  take(): Connection;
  giveBack(connection: Connection): void;
  close(): Promise<void>;
}

/** Opens one connection for each exchange that runs at the same time. */
export function createAgent(origin: string, proxy: ProxyAddress | undefined, clock: Clock): Agent {
  const connect = proxy === undefined ? createDirectConnect() : throughProxy(createDirectConnect(), proxy);
  const connecting = new Set<(reason: Error) => void>();

  const connectInTime: buildConnector.connector = (target, callback) => {
    const cancelTimeout = clock.after(connectTimeoutMs, () => giveUp(connectTimeout()));
    const giveUp = connect(target, (error, socket) => {
      cancelTimeout();
      connecting.delete(giveUp);
      if (error !== null) return callback(error, null);
      socket.on('error', (socketError: SocketError) => {
        // undici treats ECONNRESET as the regular end of a body without a length, so the error gets another code.
        if (socketError.code === 'ECONNRESET') socketError.code = 'ECONNABORTED';
        socketError.isUnanswered = socket.bytesRead === 0;
      });
      callback(null, socket);
    });
    connecting.add(giveUp);
  };

  const taken = new Set<Connection>();
  const free: Connection[] = [];
  const open = (): Connection => {
    const client = new Client(origin, {
      // Without this option, undici would use the value of Node's --max-http-header-size.
      maxHeaderSize: 16_384,
      // undici would reconnect for ever if each connection ended before the request was written.
      connect(target, callback) {
        if (!connection.mayConnect) return queueMicrotask(() => callback(endedUnused(), null));
        connection.mayConnect = false;
        connectInTime(target, callback);
      },
    });
    const connection = { client, mayConnect: true };
    return connection;
  };
  return {
    take() {
      const connection = free.pop() ?? open();
      connection.mayConnect = true;
      taken.add(connection);
      return connection;
    },
    giveBack(connection) {
      taken.delete(connection);
      free.push(connection);
    },
    async close() {
      const reason = new Error('closed');
      // undici and the process would wait for connections in use, so these are closed. Idle connections keep nothing waiting.
      for (const giveUp of connecting) giveUp(reason);
      await Promise.all([...taken].map(({ client }) => client.destroy(reason)));
    },
  };
}

const connectTimeout = (): Error => Object.assign(new Error('connect time-out'), { code: 'ETIMEDOUT' });
const endedUnused = (): Error => new Error('the connection ended before anything was sent');
