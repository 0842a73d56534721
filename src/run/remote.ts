import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { isLoopback } from '../lib/host-names.ts';
import { proxyFor } from '../lib/proxy.ts';
import { replacePrivate } from '../lib/replace-private.ts';
import { errorMessageOf } from '../lib/system.ts';
import type { Settings } from '../settings/settings.ts';
import type { fetchOnce } from './fetch.ts';

export interface RemoteModule {
  /** The address after redirects. Relative imports of the module start here. */
  url: string;
  type: string;
  code: string;
}

export interface RemoteOptions {
  settings: Settings;
  signal: AbortSignal;
  /** Fetch again what was fetched in an earlier run. */
  reload: boolean;
  loadFetch(): { fetchOnce: typeof fetchOnce };
}

/** The message says why the module cannot be had. */
export type FetchModule = (url: string) => Promise<RemoteModule>;

const mostRedirects = 10;

export function createRemote({ settings, signal, reload, loadFetch }: RemoteOptions): FetchModule {
  const folder = settings.dataDirectory && join(settings.dataDirectory.value, 'modules');
  const known = new Map<string, Promise<RemoteModule>>();

  async function get(url: string): Promise<RemoteModule> {
    const kept = folder === undefined || reload ? undefined : readKept(folder, url);
    if (kept !== undefined) return kept;
    const module = await fetchModule(url);
    if (folder !== undefined) keep(folder, url, module);
    return module;
  }

  async function fetchModule(first: string): Promise<RemoteModule> {
    let url = first;
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      checkAddress(url);
      const { status, location, type, text } = await loadFetch().fetchOnce(url, {
        proxy: proxyFor(url, settings.proxy)?.url.href,
        timeoutMs: settings.timeout.value * 1_000,
        signal,
      });
      if (status >= 200 && status < 300) return { url, type, code: text };
      if (status < 300 || status >= 400 || location === undefined)
        throw new Error(`the server answered ${status}`);
      url = new URL(location, url).href;
    }
    throw new Error(`it was redirected more than ${mostRedirects} times`);
  }

  return (url) => {
    const module = known.get(url) ?? get(url);
    known.set(url, module);
    module.then(
      (found) => known.set(found.url, module),
      () => {},
    );
    return module;
  };
}

function checkAddress(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return;
  throw new Error(`${protocol}//${hostname} is not https:, and http: is allowed only for loopback addresses`);
}

/** The language of a remote module, as the ending of a file name. */
export function endingOf({ url, type }: RemoteModule): string {
  if (/typescript|video\/mp2t/.test(type)) return /tsx/.test(type) || url.endsWith('.tsx') ? '.tsx' : '.ts';
  if (/\bjson\b/.test(type)) return '.json';
  const ending = extname(new URL(url).pathname);
  if (/javascript|ecmascript/.test(type)) return ending === '.jsx' ? ending : '.js';
  return ['.ts', '.tsx', '.mts', '.jsx', '.json'].includes(ending) ? ending : '.js';
}

/** Two addresses may have the same name, because it is cut: the file contains the whole address. */
const fileFor = (folder: string, url: string): string =>
  join(folder, `${Buffer.from(url).toString('base64url').slice(-200)}.json`);

/** A file that cannot be read counts as missing: the module is fetched again. */
function readKept(folder: string, url: string): RemoteModule | undefined {
  try {
    const { asked, ...module } = JSON.parse(readFileSync(fileFor(folder, url), 'utf8'));
    return asked === url ? module : undefined;
  } catch {
    return undefined;
  }
}

function keep(folder: string, asked: string, module: RemoteModule): void {
  try {
    for (const url of new Set([asked, module.url])) {
      replacePrivate(fileFor(folder, url), JSON.stringify({ asked: url, ...module }));
    }
  } catch {
    // Without the file, the next run fetches the module again.
  }
}

export const reasonOf = (error: unknown): string => {
  const { cause } = error as { cause?: unknown };
  const message = errorMessageOf(error) || errorMessageOf(cause);
  return message.replace(/\.$/, '');
};
