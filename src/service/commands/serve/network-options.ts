import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { UsageError } from '../../../core/errors.ts';
import { isLoopback } from '../../../core/settings/addresses.ts';
import type { Network } from '../../start-service.ts';

export interface NetworkOptions {
  host?: string;
  publicUrl?: string;
  tlsCert?: string;
  tlsKey?: string;
}

const loopbackHost = '127.0.0.1';
const exampleUrl = 'For example --public-url https://vals.example.com.';

export function networkOf(options: NetworkOptions, cwd: string): Network {
  const { tlsCert, tlsKey } = options;
  const host = parseHost(options.host ?? loopbackHost);
  const publicUrl = options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl);
  const isOutside = host !== '::1' && !isLoopback(host);
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const [present, missing] = tlsCert ? ['--tls-cert', '--tls-key'] : ['--tls-key', '--tls-cert'];
    throw new UsageError(`${present} needs ${missing} too.`, {
      hint: 'Give the certificate and its chain with --tls-cert, and the private key with --tls-key.',
    });
  }
  if (publicUrl === undefined) {
    if (isOutside) throw withoutPublicUrl(`--host ${host}`);
    if (tlsCert) throw withoutPublicUrl('--tls-cert');
    return { host };
  }
  if (publicUrl.protocol === 'http:') {
    if (tlsCert) throw withoutHttps('--tls-cert');
    if (isOutside) throw withoutHttps(`--host ${host}`);
  }
  return {
    host,
    publicUrl,
    ...(tlsCert && tlsKey && { certificate: { cert: resolve(cwd, tlsCert), key: resolve(cwd, tlsKey) } }),
  };
}

const withoutPublicUrl = (option: string): UsageError =>
  new UsageError(`${option} needs --public-url, the URL that people will use.`, { hint: exampleUrl });

const withoutHttps = (option: string): UsageError =>
  new UsageError(`${option} needs a --public-url that begins with https://.`, { hint: exampleUrl });

export function parseHost(text: string, option = '--host'): string {
  if (text === 'localhost') return loopbackHost;
  if (isIP(text) !== 0) return text;
  throw new UsageError(`${option} takes an address of this machine, not "${text}".`, {
    hint: 'Use 0.0.0.0 to listen on all IPv4 addresses, or :: to listen on all addresses. A host name belongs in --public-url.',
  });
}

function parsePublicUrl(text: string): URL {
  // The messages must not repeat the URL, because the URL may contain a password.
  const refuse = (problem: string, hint = exampleUrl) => new UsageError(`--public-url ${problem}.`, { hint });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw refuse('takes an https:// URL');
  if (url.href !== `${url.origin}/` || url.hostname.endsWith('.')) {
    throw refuse('takes a host name and perhaps a port, and no user, path or query');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse(
      'is http://, which would send tokens unencrypted',
      'Use https://. Only localhost may use http://.',
    );
  }
  return url;
}
