import { extname } from 'node:path';
import { RunFailedError } from '../../core/errors.ts';
import { remedyOf, troubleSentence } from '../../core/failures/no-reply.ts';
import type { OpenDispatcher } from '../../core/http/request/dispatcher.ts';
import { faultOf, type NoReply } from '../../core/http/request/no-reply.ts';
import type { Clock } from '../../core/lib/waiting.ts';
import { type BaseUrl, isLoopback, type ProxyServer, proxyFor } from '../../core/settings/addresses.ts';
import type { Settings } from '../../core/settings/settings.ts';
import type { Kept } from './kept.ts';

export interface RemoteModule {
  /** The address after redirects. Relative imports of the module start here. */
  url: string;
  type: string;
  code: string;
}

export interface RemoteOptions {
  settings: Settings;
  clock: Clock;
  signal: AbortSignal;
  kept: Kept;
  /** Fetch again what was fetched in an earlier run. */
  reload: boolean;
  connections: Connections;
}

/** The connections of this process to a server. */
type Connections = (base: BaseUrl, proxy: ProxyServer | undefined) => Promise<OpenDispatcher>;

/** Throws a RunFailedError whose message says why the module cannot be had. */
export type FetchModule = (url: string) => Promise<RemoteModule>;

const mostRedirects = 10;

export function createRemote(options: RemoteOptions): FetchModule {
  const { kept, reload } = options;
  const known = new Map<string, Promise<RemoteModule>>();

  async function get(url: string): Promise<RemoteModule> {
    const found = reload || isOnLoopback(url) ? undefined : kept.read(url);
    if (isRemoteModule(found)) return found;
    const module = await fetchRedirected(url, options);
    const addresses = [url, module.url];
    if (!addresses.some(isOnLoopback)) {
      for (const address of new Set(addresses)) kept.write(address, { ...module });
    }
    return module;
  }

  return (url) => {
    const module = known.get(url) ?? get(url);
    known.set(url, module);
    module.then(
      (found) => known.set(found.url, module),
      // The next run or request tries again.
      () => known.delete(url),
    );
    return module;
  };
}

/** Today's server at such an address may be another program than yesterday's, so nothing from it is kept. */
export const isOnLoopback = (url: string): boolean => isLoopback(new URL(url).hostname);

async function fetchRedirected(first: string, options: RemoteOptions): Promise<RemoteModule> {
  let url = first;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    checkAddress(url);
    const { status, location, type, code } = await fetchOnce(new URL(url), options);
    if (status >= 200 && status < 300) return { url, type, code };
    if (status < 300 || status >= 400 || location === undefined) {
      const hint = status === 404 && isInForce(url, options.settings) ? privateHint : undefined;
      throw new RunFailedError(`the server answered ${status}`, hint === undefined ? {} : { hint });
    }
    url = new URL(location, url).href;
  }
  throw new RunFailedError(`it was redirected more than ${mostRedirects} times`);
}

const privateHint =
  'The val may be private. `vals run` fetches imports without your token, so it can import only vals that everybody can read.';

const isInForce = (url: string, { baseUrl }: Settings): boolean =>
  baseUrl !== undefined && new URL(url).origin === baseUrl.value.origin;

async function fetchOnce(
  { origin, pathname, search }: URL,
  { settings, clock, signal, connections }: RemoteOptions,
) {
  const { send } = await import('../../core/http/request/send.ts');
  const proxy = proxyFor(origin, settings.proxy);
  const open = await connections({ origin, href: origin }, proxy);
  const headers = { accept: '*/*', 'user-agent': `vals/${VERSION}` };
  const limitMs = settings.timeout.value * 1_000;
  const request = { method: 'GET', origin, path: pathname + search, headers };
  const reply = await send(open, request, { clock, limitMs, signal });
  if ('error' in reply) throw noReply(reply, proxy);
  const { status, headers: answered, body } = reply;
  if (body instanceof Error) throw noReply({ error: body, mayHaveReachedService: true }, proxy);
  const header = (name: string) => [answered[name]].flat()[0];
  const type = header('content-type') ?? '';
  return { status, location: header('location'), type, code: body.toString() };
}

function noReply(reply: NoReply, proxy: ProxyServer | undefined): RunFailedError {
  const fault = faultOf(reply);
  if (!('trouble' in fault)) return new RunFailedError(reply.error.message);
  const hint = remedyOf(fault.trouble, proxy);
  return new RunFailedError(troubleSentence(fault.trouble), hint === undefined ? {} : { hint });
}

const isRemoteModule = (value: object | undefined): value is RemoteModule =>
  value !== undefined && 'url' in value && 'type' in value && 'code' in value;

function checkAddress(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return;
  throw new RunFailedError(
    `${protocol}//${hostname} is not https:, and http: is allowed only for loopback addresses`,
    { hint: 'Import the module from an https: address.' },
  );
}

/** The language of a remote module, as the ending of a file name. */
export function endingOf({ url, type }: RemoteModule): string {
  if (/typescript|video\/mp2t/.test(type)) return /tsx/.test(type) || url.endsWith('.tsx') ? '.tsx' : '.ts';
  if (/\bjson\b/.test(type)) return '.json';
  const ending = extname(new URL(url).pathname);
  if (/javascript|ecmascript/.test(type)) return ending === '.jsx' ? ending : '.js';
  return ['.ts', '.tsx', '.mts', '.jsx', '.json'].includes(ending) ? ending : '.js';
}
