import type { Dispatcher, EnvHttpProxyAgent } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';

// Uses `require`, because an ES import would copy the bytes one by one, which takes 100 ms.
import parserBytes = require('undici/lib/llhttp/llhttp_simd-wasm.js');

import { connectTimeoutMs } from './faults.ts';

const largestBody = 64 * 1024 * 1024;

interface Proxy {
  /** The address with its user name and password. */
  href: string;
  noProxy: string;
}

export interface DispatcherOptions {
  origin: string;
  proxy: Proxy | undefined;
  /** Ends all connections, also those that are not open yet. */
  signal: AbortSignal;
}

/** The connections to one service. */
export interface OpenDispatcher {
  dispatcher: Dispatcher;
  /** V8 keeps the compiled parser only as long as somebody refers to it. */
  parser?: WebAssembly.Module;
}

export async function openDispatcher({ origin, proxy, signal }: DispatcherOptions): Promise<OpenDispatcher> {
  const isSecure = [origin, proxy?.href].some((address) => address?.startsWith('https:'));
  const connect = connectOptions(signal, isSecure);
  const dispatcher =
    proxy === undefined
      ? new Pool(origin, { ...poolOptions, connect })
      : await throughProxy(proxy, { ...poolOptions, connect, proxyTls: connect, requestTls: connect });
  signal.addEventListener('abort', () => void dispatcher.destroy(new Error('interrupted')));
  return { dispatcher };
}

async function throughProxy(
  { href, noProxy }: Proxy,
  options: EnvHttpProxyAgent.Options,
): Promise<Dispatcher> {
  const { default: ProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  const { default: connect } = await import('undici/lib/api/api-connect.js');
  return new ProxyAgent({
    ...options,
    ...{ httpProxy: href, httpsProxy: href, noProxy },
    clientFactory(origin, options) {
      const pool = new Pool(origin, options);
      // Only undici's index gives its dispatchers this method.
      return Object.assign(pool, {
        connect: (params: Parameters<typeof connect>[0]) =>
          connect.call(pool, params).catch(withoutRepetition),
      });
    },
  });
}

/** After this code, undici would connect again and again to a proxy that closes its connections. */
function withoutRepetition(error: NodeJS.ErrnoException): never {
  if (error.code === 'UND_ERR_SOCKET') error.code = 'ECONNRESET';
  throw error;
}

/** Call this after the first request began, so that the connection opens while the parser is compiled. */
export function keepParser(open: OpenDispatcher): void {
  open.parser ??= compileParser();
}

const poolOptions = {
  maxResponseSize: largestBody,
  // For services that do not say how long they keep a connection. An agent may think for a while between two calls.
  keepAliveTimeout: 30_000,
};

/** All connections share one secure context, because Node 20 needs 40 ms to create one. */
function connectOptions(signal: AbortSignal, isSecure: boolean) {
  const options = { timeout: connectTimeoutMs, signal };
  if (!isSecure) return options;
  const { createSecureContext, DEFAULT_CIPHERS } = process.getBuiltinModule('node:tls');
  return { ...options, secureContext: createSecureContext({ ciphers: DEFAULT_CIPHERS }) };
}

/**
 * Compiles undici's HTTP parser without V8's background optimisation. Otherwise Node 20 would wait for the optimisation
 * before it exits, and `vals me` would take 2.5 times as long.
 *
 * Later, undici compiles the same bytes. V8 then reuses this module, if the caller has kept it.
 */
function compileParser(): WebAssembly.Module {
  // Later ones have other flags, and do not wait.
  if (!process.version.startsWith('v20.')) return new WebAssembly.Module(parserBytes);
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const optimisations = ['wasm-tier-up', 'wasm-dynamic-tiering', 'wasm-lazy-compilation'];
  for (const flag of optimisations) setFlagsFromString(`--no-${flag}`);
  const parser = new WebAssembly.Module(parserBytes);
  // Resets the flags, because V8 would otherwise reject the bytecode that src/code-cache.ts stores.
  for (const flag of optimisations) setFlagsFromString(`--${flag}`);
  return parser;
}
