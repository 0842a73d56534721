import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Clock } from '../../lib/clock.ts';
import type { ProxyAddress } from '../../lib/proxy.ts';
import { exchange, type HttpReply, type HttpRequest, type NoReply } from './exchange.ts';
import { compileParser } from './parser.ts';

export const connectTimeoutMs = 5_000;
const largestBody = 64 * 1024 * 1024;

export interface ConnectionsOptions {
  origin: string;
  proxy: ProxyAddress | undefined;
  clock: Clock;
  /** Ends all connections, also those that are not open yet. */
  signal: AbortSignal;
}

export interface Connections {
  exchange(request: HttpRequest, limitMs: number): Promise<HttpReply | NoReply>;
}

export function createConnections({ origin, proxy, clock, signal }: ConnectionsOptions): Connections {
  let dispatcher: Promise<Dispatcher> | undefined;
  // V8 keeps the compiled parser only as long as somebody refers to it.
  const keptAlive: { parser?: WebAssembly.Module } = {};

  async function open(): Promise<Dispatcher> {
    const isSecure = [origin, proxy?.url.href].some((address) => address?.startsWith('https:'));
    const connect = connectOptions(signal, isSecure);
    const opened =
      proxy === undefined
        ? new Pool(origin, { ...poolOptions, connect })
        : (await import('./tunnels.ts')).createTunnels(proxy, poolOptions, connect);
    signal.addEventListener('abort', () => void opened.destroy(new Error('interrupted')));
    return opened;
  }

  return {
    async exchange(request, limitMs) {
      dispatcher ??= open();
      const reply = exchange(await dispatcher, request, { limitMs, clock });
      // The connection opens while the parser is compiled.
      keptAlive.parser ??= compileParser();
      const result = await reply;
      // undici's pool notices after the reply that the connection is free. Without the wait, the next request would open
      // another connection.
      await new Promise(setImmediate);
      return result;
    },
  };
}

const poolOptions = {
  // Otherwise a low --max-http-header-size in NODE_OPTIONS would make undici reject normal replies.
  maxHeaderSize: 16_384,
  maxResponseSize: largestBody,
};

/** All connections share one secure context, because Node 20 needs 40 ms to create one. */
function connectOptions(signal: AbortSignal, isSecure: boolean) {
  const options = { timeout: connectTimeoutMs, signal };
  if (!isSecure) return options;
  const { createSecureContext, DEFAULT_CIPHERS } = process.getBuiltinModule('node:tls');
  return { ...options, secureContext: createSecureContext({ ciphers: DEFAULT_CIPHERS }) };
}
