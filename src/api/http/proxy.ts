// The way through a proxy, loaded only where one is set.
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';

export interface ProxySettings {
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

export const createProxyAgent = (settings: ProxySettings, connectTimeoutMs: number): Dispatcher =>
  new EnvHttpProxyAgent({ ...settings, connect: { timeout: connectTimeoutMs } });
