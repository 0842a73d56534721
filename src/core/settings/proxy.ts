import { UsageError } from '../errors.ts';
import { isLoopback } from '../lib/host-names.ts';

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
}

type Variable = Setting<string>;

export interface ProxyVariables {
  https: Variable | undefined;
  http: Variable | undefined;
  none: Variable | undefined;
}

/** Undefined if the address is reached without a proxy, as loopback addresses always are. */
export function proxyFor(address: string, { https, http, none }: ProxyVariables): ProxyAddress | undefined {
  const { origin, protocol, hostname } = new URL(address);
  const proxy = protocol === 'https:' ? (https ?? http) : http;
  if (proxy === undefined || isLoopback(hostname) || bypassesProxy(none?.value ?? '', origin)) {
    return undefined;
  }
  return parseProxy(proxy);
}

function parseProxy({ value, source }: Variable): ProxyAddress {
  try {
    const url = new URL(value);
    if (/^https?:$/.test(url.protocol)) return { url, credentials: credentialsOf(url), variable: source };
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

/** Matches an entry of NO_PROXY, such as `example.com`, `.example.com` or `*.example.com:8080`. */
const noProxyEntry = /^(?:\*?\.)?(?<name>.+?)(?::(?<onlyPort>\d+))?$/;

/**
 * Each name in NO_PROXY matches a host and its subdomains. `.example.com` and `*.example.com` mean the same as
 * `example.com`. `*` alone matches every host.
 */
export function bypassesProxy(noProxy: string, origin: string): boolean {
  if (noProxy.trim() === '*') return true;
  const { hostname, port, protocol } = new URL(origin);
  const usedPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      const { name, onlyPort } = noProxyEntry.exec(entry)?.groups ?? {};
      const isForOtherPort = onlyPort !== undefined && onlyPort !== usedPort;
      if (name === undefined || isForOtherPort) return false;
      return hostname === name || hostname.endsWith(`.${name}`);
    });
}
