// Only commands that use a proxy load this file.
import type { buildConnector, Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { ProxyError } from './no-reply.ts';

export interface ProxyServer {
  url: URL;
  /** The user name and the password, as HTTP sends them. */
  credentials: string | undefined;
  /** The hosts that are reached without it, as NO_PROXY has them. */
  noProxy: string;
}

/** Asks the proxy for tunnels, and reports a refusal with its status, which undici only writes into a message. */
class ProxyPool extends Pool {
  isUsed = false;

  override async connect(options: Parameters<Pool['connect']>[0]): Promise<Dispatcher.ConnectData> {
    this.isUsed = true;
    const reply = await connect.call(this, options as Dispatcher.ConnectOptions).catch((cause) => {
      throw new ProxyError({ cause });
    });
    if (reply.statusCode === 200) return reply;
    reply.socket.on('error', () => {}).destroy();
    throw new ProxyError({ status: reply.statusCode });
  }
}

export function createTunnels(
  { url, credentials, noProxy }: ProxyServer,
  poolOptions: Pool.Options,
  connectOptions: buildConnector.BuildOptions & { timeout: number },
): { dispatcher: Dispatcher; usesProxy(): boolean } {
  const pools: ProxyPool[] = [];
  const dispatcher = new EnvHttpProxyAgent({
    ...poolOptions,
    httpProxy: url.origin,
    httpsProxy: url.origin,
    noProxy,
    ...(credentials !== undefined && { token: `Basic ${credentials}` }),
    connect: connectOptions,
    proxyTls: connectOptions,
    requestTls: connectOptions,
    clientFactory(origin, options) {
      const pool = new ProxyPool(origin, { ...options, headersTimeout: connectOptions.timeout });
      pools.push(pool);
      return pool;
    },
  });
  return { dispatcher, usesProxy: () => pools.some(({ isUsed }) => isUsed) };
}
