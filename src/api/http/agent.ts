// The connections to the service, made directly or through a proxy.
import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { ProxySettings } from './proxy.ts';

export const connectTimeoutMs = 5_000;

interface ServiceAgent {
  /** A connection for one exchange, which gives it back. */
  take(): Dispatcher;
  giveBack(connection: Dispatcher): void;
  /** False while nothing can have been sent, because no connection stood yet. */
  everConnected(): boolean;
  /** Whether an error came before a connection stood. */
  isConnectError(error: unknown): boolean;
  close(): Promise<void>;
}

/**
 * As many connections as there are exchanges at a time, which is simpler than a pool, and takes less time.
 * It knows which errors came before a connection stood: nothing was sent then.
 */
export function directAgent(origin: string, clock: Clock): ServiceAgent {
  const connect = buildConnector({ timeout: 0, autoSelectFamily: true });
  const connecting = new Set<Socket>();
  const connectErrors = new WeakSet<Error>();
  let connected = false;
  const connectForClient: buildConnector.connector = (target, callback) => {
    // The connector returns its socket, which its type does not say.
    const socket = connect(target, (...outcome) => {
      settle();
      const [error] = outcome;
      if (error) connectErrors.add(error);
      if (error || connected) return callback(...outcome);
      connected = true;
      optimiseParser(false);
      callback(...outcome);
      optimiseParser(true);
    }) as unknown as Socket;
    const cancel = clock.after(connectTimeoutMs, () => socket.destroy(connectTimeout()));
    const settle = () => {
      cancel();
      connecting.delete(socket);
    };
    connecting.add(socket);
    socket.once('close', settle);
    // undici takes this code for the end of a body that only the end of its connection ends.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
    });
  };
  const clients: Client[] = [];
  const free: Dispatcher[] = [];
  const openClient = (): Client => {
    const client = new Client(origin, { connect: connectForClient });
    clients.push(client);
    return client;
  };
  return {
    take: () => free.pop() ?? openClient(),
    giveBack: (connection) => free.push(connection),
    everConnected: () => connected,
    isConnectError: (error) => connectErrors.has(error as Error),
    async close() {
      // undici would wait for them, and so would the process.
      for (const socket of connecting) socket.destroy();
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}

/** Behind a proxy we see neither when the service is reached nor when the parser is made. */
export async function proxyAgent(proxy: ProxySettings): Promise<ServiceAgent> {
  const { createProxyAgent } = await import('./proxy.ts');
  optimiseParser(false);
  const dispatcher = createProxyAgent(proxy, connectTimeoutMs);
  return {
    take: () => dispatcher,
    giveBack() {},
    // So sent is what may have been sent.
    everConnected: () => true,
    isConnectError: () => false,
    close: () => dispatcher.destroy(),
  };
}

/**
 * undici's parser is WebAssembly, made when the first connection stands. V8 would optimise it while it runs, which
 * takes 130 ms, for which Node waits before it exits, and 30 MB. Where we can, the flags are set back at once: while
 * they differ from what Node was built with, V8 refuses compiled code, that of Node's own modules included.
 */
function optimiseParser(wanted: boolean): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const way of ['wasm-tier-up', 'wasm-dynamic-tiering', 'wasm-lazy-compilation']) {
    setFlagsFromString(`--${wanted ? '' : 'no-'}${way}`);
  }
}

const connectTimeout = (): Error => Object.assign(new Error('connect time-out'), { code: 'ETIMEDOUT' });
