// The base URL of a service, and the proxy on the way to it.
import { UsageError } from '../errors.ts';

export interface BaseUrl {
  origin: string;
  href: string;
}

export function parseBaseUrl(text: string, source: string, allowHttp: boolean): BaseUrl {
  // No message repeats the base URL, because the URL may contain a password.
  const refusal = (problem: string, hint = 'Use an address such as https://api.example.com.') =>
    new UsageError(`The base URL from ${source} ${problem}.`, { hint });
  let url: URL;
  try {
    url = new URL(withScheme(text));
  } catch {
    throw refusal('is not a URL');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refusal('begins with neither https:// nor http://');
  if (url.username || url.password) {
    throw refusal(
      'contains a user name or password',
      'Remove the user name and password from the URL. Sign in with the token instead, or set VALS_TOKEN.',
    );
  }
  if (url.search || url.hash) throw refusal('contains a query (?) or a fragment (#)');
  if (isOpenHttp(url) && !allowHttp) {
    throw refusal(
      'uses http:// to another machine, which would send the token unencrypted',
      'Use https://. To accept the risk, add --allow-http (VALS_ALLOW_HTTP=1).',
    );
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '');
  return { origin: url.origin, href: url.origin + path };
}

/** Others on the way can read what is sent. */
export const isOpenHttp = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && !isLoopback(hostname);

const hostForm =
  /^(?:localhost|\[[\da-f:.]+\]|(?:[a-z\d-]+\.)+(?:[a-z]{2,24}|\d{1,3})|[a-z\d.-]+(?=:\d))(?::\d{1,5})?(?:\/|$)/i;

/**
 * People leave out the scheme: a loopback address is http, any other https. A text that is no address stays as it is. It
 * may be a token, which must not become the name of a host that is looked up.
 */
export function withScheme(text: string): string {
  if (!hostForm.test(text)) return text;
  const isOfThisMachine = isLoopback(new URL(`http://${text}`).hostname);
  return `${isOfThisMachine ? 'http' : 'https'}://${text}`;
}

export function spaceIn({ origin, href }: BaseUrl): { name: string; service: BaseUrl } | undefined {
  const [, service, name] = /^(.+)\/@([^/]+)$/.exec(href) ?? [];
  return service === undefined || name === undefined
    ? undefined
    : { name, service: { origin, href: service } };
}

export const hasOrigin = (href: string | undefined, origin: string): boolean =>
  `${href}/`.startsWith(`${origin}/`);

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);

export interface Setting<T> {
  value: T;
  source: string;
}

export interface ProxyServer {
  /** The address with its user name and password. */
  href: string;
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
export function proxyFor(address: string, { https, http, none }: ProxyVariables): ProxyServer | undefined {
  const { protocol, hostname } = new URL(address);
  const proxy = protocol === 'https:' ? (https ?? http) : http;
  if (proxy === undefined || isLoopback(hostname)) return undefined;
  return { href: parseProxy(proxy).href, variable: proxy.source, noProxy: none?.value ?? '' };
}

export function parseProxy({ value, source }: Setting<string>): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  // The message must not repeat the address, because the address may contain a password.
  throw new UsageError(`${source} is not the address of a proxy.`, {
    hint: 'Set the variable to an address such as http://proxy.example.com:3128, or remove the variable.',
  });
}
