import type { ServiceEvent } from '../../service/index.ts';
import { LocalError } from '../errors.ts';
import type { OpenDispatcher, ProxyServer } from '../http/request/dispatcher.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import type { Settings } from '../settings/settings.ts';

/** The embedded service in this process. */
interface LocalService {
  base: BaseUrl;
  token: string | undefined;
  failure(): LocalError | undefined;
  close(): Promise<void>;
}

/** What one process has open: connections to services, and the embedded service. All calls of `vals mcp` share it. */
export interface Services {
  /** `onUpgrade` gets a message if the store had to be brought up to date. */
  local(settings: Settings, onUpgrade: (message: string) => void): Promise<LocalService>;
  connections(base: BaseUrl, proxy: ProxyServer | undefined): Promise<OpenDispatcher>;
  close(): Promise<void>;
}

export function createServices(): Services {
  const closing = new AbortController();
  const open = new Map<string, Promise<OpenDispatcher>>();
  let local: Promise<LocalService> | undefined;

  async function connect(origin: string, proxy: ProxyServer | undefined): Promise<OpenDispatcher> {
    const { setMaxListeners } = process.getBuiltinModule('node:events');
    // Each connection adds a listener. Node would print a warning for more than ten.
    setMaxListeners(0, closing.signal);
    const { openDispatcher } = await import('../http/request/dispatcher.ts');
    return openDispatcher({ origin, proxy, signal: closing.signal });
  }

  return {
    local(settings, onUpgrade) {
      local ??= startLocal(settings, onUpgrade).catch((error) => {
        local = undefined;
        throw error;
      });
      return local;
    },
    connections({ origin }, proxy) {
      const known = open.get(origin) ?? connect(origin, proxy);
      open.set(origin, known);
      return known;
    },
    async close() {
      closing.abort();
      await (await local?.catch(() => undefined))?.close();
    },
  };
}

async function startLocal(settings: Settings, onUpgrade: (message: string) => void): Promise<LocalService> {
  const { startService, loopbackOnly } = await import('../../service/index.ts');
  let failure: LocalError | undefined;
  const onEvent = (event: ServiceEvent) => {
    if (event.kind === 'store failed' && event.error instanceof LocalError) failure = event.error;
    if (event.kind === 'upgraded') onUpgrade(event.message);
  };
  const network = { ...loopbackOnly, endsWithCommand: true };
  const file = settings.dataFile;
  const service = await startService({ file, port: 0, network, onEvent });
  const { baseUrl, token, close } = service;
  return { base: { origin: baseUrl, href: baseUrl }, token, failure: () => failure, close };
}
