// Where `vals serve` is to be reached, from its options: on this machine alone, or for others, and then never in the clear.
import { BlockList, isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { Network } from '../../cli/load-service.ts';
import { UsageError } from '../../errors.ts';
import { isAmong, loopbackAddresses } from '../../lib/addresses.ts';
import { isLoopback } from '../../lib/loopback.ts';

export interface NetworkOptions {
  host?: string;
  publicUrl?: string;
  trustProxy?: string;
  tlsCert?: string;
  tlsKey?: string;
}

const loopbackHost = '127.0.0.1';

/** Undefined where no option asks for more than the loopback address. */
export function networkOf(options: NetworkOptions, cwd: string): Network | undefined {
  const { tlsCert, tlsKey } = options;
  const host = parseHost(options.host ?? loopbackHost);
  const publicUrl = options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl);
  const trustProxy = options.trustProxy === undefined ? undefined : parseProxies(options.trustProxy);
  const isOutside = !isAmong(loopbackAddresses, host);
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError(
      `${tlsCert ? '--tls-cert' : '--tls-key'} needs ${tlsCert ? '--tls-key' : '--tls-cert'} too.`,
      {
        hint: 'Name both files: the certificate with those that vouch for it, and its key.',
      },
    );
  }
  if (publicUrl === undefined) {
    const other = isOutside ? `--host ${host}` : tlsCert ? '--tls-cert' : trustProxy && '--trust-proxy';
    if (other) {
      throw new UsageError(`${other} needs --public-url: what the service is called from outside.`, {
        hint: 'Give it like --public-url https://vals.example.com.',
      });
    }
    return options.host === undefined ? undefined : { host, proxies: new BlockList() };
  }
  if (publicUrl.protocol === 'http:' && (isOutside || tlsCert)) {
    throw new UsageError(
      `--public-url has to be https:// ${tlsCert ? 'with --tls-cert' : `where --host is ${host}`}.`,
      { hint: 'Give it like --public-url https://vals.example.com.' },
    );
  }
  if (isOutside && !tlsCert && !trustProxy) {
    throw new UsageError(`--host ${host} needs TLS: tokens must not travel in the clear.`, {
      hint: 'Give --tls-cert and --tls-key, or name the proxy that ends TLS with --trust-proxy <address>.',
    });
  }
  return {
    host,
    publicUrl,
    // What listens on a loopback address is asked by this machine alone, so the proxy is on it.
    proxies: trustProxy ?? (tlsCert ? new BlockList() : loopbackAddresses),
    ...(tlsCert && tlsKey && { certificate: { cert: resolve(cwd, tlsCert), key: resolve(cwd, tlsKey) } }),
  };
}

function parseHost(text: string): string {
  if (text === 'localhost') return loopbackHost;
  if (isIP(text) !== 0) return text;
  throw new UsageError(`--host takes an address of this machine, not "${text}".`, {
    hint: '0.0.0.0 is all of its IPv4 addresses, :: all it has; the name goes into --public-url.',
  });
}

function parsePublicUrl(text: string): URL {
  // The text may hold a password, so no message repeats it.
  const refuse = (problem: string, hint = 'Give it like https://vals.example.com.') =>
    new UsageError(`--public-url ${problem}.`, { hint });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw refuse('takes an https:// URL');
  if (url.username || url.password) throw refuse('holds a user name or password', 'Take it out.');
  if (url.search || url.hash || text.includes('?') || text.includes('#'))
    throw refuse('has a query or a fragment');
  if (url.pathname !== '/') {
    throw refuse('has a path', 'The service needs a host name of its own; give that alone.');
  }
  if (url.hostname.endsWith('.')) throw refuse('ends in a dot', 'Give the name without it.');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse(
      'is http://, which would send tokens in the clear',
      'Give it as https://; http:// is for localhost.',
    );
  }
  return url;
}

/** Addresses, or networks such as 10.0.0.0/24, with commas between them. */
function parseProxies(text: string): BlockList {
  const list = new BlockList();
  for (const part of text.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...rest] = part.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    const length = Number(bits);
    const isNetwork = /^\d{1,3}$/.test(bits ?? '') && length > 0 && length <= (family === 'ipv6' ? 128 : 32);
    if (
      isIP(address) === 0 ||
      address.includes('%') ||
      rest.length > 0 ||
      (bits !== undefined && !isNetwork)
    ) {
      throw new UsageError(`--trust-proxy takes addresses, not "${part}".`, {
        hint: 'Give the address from which the proxy connects: --trust-proxy 10.0.0.5, or 10.0.0.0/24.',
      });
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, length, family);
  }
  return list;
}
