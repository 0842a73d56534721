// The connections to the service, made directly or through a proxy: one for each exchange at a time.
import type { buildConnector } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Clock } from '../../lib/clock.ts';
import { directly } from './connect.ts';
import { type ProxyAddress, throughProxy } from './proxy.ts';

export const connectTimeoutMs = 5_000;

interface Connection {
  client: Client;
  /** Whether this exchange has its connection still to make. */
  mayConnect: boolean;
}

export interface Agent {
  /** A connection for one exchange, which gives it back. */
  take(): Connection;
  giveBack(connection: Connection): void;
  close(): Promise<void>;
}

/** As many connections as there are exchanges at a time, which is simpler than a pool, and takes less time. */
export function createAgent(origin: string, proxy: ProxyAddress | undefined, clock: Clock): Agent {
  const connect = proxy === undefined ? directly() : throughProxy(directly(), proxy);
  const connecting = new Set<(reason: Error) => void>();

  const connectInTime: buildConnector.connector = (target, callback) => {
    const giveUp = connect(target, (...outcome) => {
      cancel();
      connecting.delete(giveUp);
      const [error, socket] = outcome;
      if (error) return callback(error, null);
      socket.on('error', (error: NodeJS.ErrnoException) => {
        // undici takes this code for the end of a body that only the end of its connection ends.
        if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
        Object.assign(error, { unanswered: socket.bytesRead === 0 });
      });
      callback(null, socket);
    });
    const cancel = clock.after(connectTimeoutMs, () => giveUp(connectTimeout()));
    connecting.add(giveUp);
  };

  const taken = new Set<Connection>();
  const free: Connection[] = [];
  const open = (): Connection => {
    const client = new Client(origin, {
      // Whatever --max-http-header-size says.
      maxHeaderSize: 16_384,
      // undici connects again, at once and without end, where a connection ends before its request is written.
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
      // undici would wait for them, and so would the process. For those that are free neither does.
      for (const giveUp of connecting) giveUp(reason);
      await Promise.all([...taken].map(({ client }) => client.destroy(reason)));
    },
  };
}

const connectTimeout = (): Error => Object.assign(new Error('connect time-out'), { code: 'ETIMEDOUT' });
const endedUnused = (): Error => new Error('the connection ended before anything was sent');
