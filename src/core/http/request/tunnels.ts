// Only commands that use a proxy load this file.
import type { buildConnector, Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { ProxyError } from './no-reply.ts';

export interface ProxyServer {
  url: URL;
  /** The user name and the password, as HTTP sends them. */
  credentials: string | undefined;
}

/** Asks the proxy for tunnels, and reports a refusal with its status, which undici only writes into a message. */
class ProxyPool extends Pool {
  override async connect(options: Parameters<Pool['connect']>[0]): Promise<Dispatcher.ConnectData> {
    const reply = await connect.call(this, options as Dispatcher.ConnectOptions).catch((cause) => {
      throw new ProxyError({ cause });
    });
    if (reply.statusCode === 200) return reply;
    reply.socket.on('error', () => {}).destroy();
    throw new ProxyError({ status: reply.statusCode });
  }
}

export function createTunnels(
  { url, credentials }: ProxyServer,
  poolOptions: Pool.Options,
  connectOptions: buildConnector.BuildOptions & { timeout: number },
): Dispatcher {
  return new ProxyAgent({
    ...poolOptions,
    uri: url.origin,
    ...(credentials !== undefined && { token: `Basic ${credentials}` }),
    proxyTls: connectOptions,
    requestTls: connectOptions,
    clientFactory: (origin, options) =>
      new ProxyPool(origin, { ...options, headersTimeout: connectOptions.timeout }),
  });
}
