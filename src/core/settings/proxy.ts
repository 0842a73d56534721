import { UsageError } from '../errors.ts';
import { isLoopback } from './base-url.ts';

export interface Setting<T> {
  value: T;
  source: string;
}

export interface ProxyAddress {
  url: URL;
  /** The user name and the password, as HTTP sends them. */
  credentials: string | undefined;
  /** The environment variable that has the address. */
  variable: string;
  /** The hosts that are reached without it, as NO_PROXY has them. */
  noProxy: string;
}

export interface ProxyVariables {
  https: Setting<string> | undefined;
  http: Setting<string> | undefined;
  none: Setting<string> | undefined;
}

/** Undefined if no proxy is set, and for loopback addresses. */
export function proxyFor(address: string, { https, http, none }: ProxyVariables): ProxyAddress | undefined {
  const { protocol, hostname } = new URL(address);
  const proxy = protocol === 'https:' ? (https ?? http) : http;
  if (proxy === undefined || isLoopback(hostname)) return undefined;
  const url = parseProxy(proxy);
  return { url, credentials: credentialsOf(url), variable: proxy.source, noProxy: none?.value ?? '' };
}

export function parseProxy({ value, source }: Setting<string>): URL {
  try {
    const url = new URL(value);
    // Throws if the user name or the password is not encoded.
    credentialsOf(url);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {}
  // The message must not repeat the address, because the address may contain a password.
  throw new UsageError(`${source} is not the address of a proxy.`, {
    hint: 'Set the variable to an address such as http://proxy.example.com:3128, or unset the variable. If the address contains a user name and a password, percent-encode both.',
  });
}

function credentialsOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}
