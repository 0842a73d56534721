import { type LocalError, UsageError } from '../errors.ts';
import type { OpenDispatcher } from '../http/request/dispatcher.ts';
import type { ProxyServer } from '../http/request/tunnels.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import type { Settings } from '../settings/settings.ts';

/** The embedded service in this process. */
interface LocalService {
  base: BaseUrl;
  token: string | undefined;
  failure(): LocalError | undefined;
  close(): Promise<void>;
}

/** `onUpgrade` gets a message if the store had to be brought up to date. */
export type OpenLocal = (settings: Settings, onUpgrade: (message: string) => void) => Promise<LocalService>;

/** What one process has open: connections to services, and the embedded service. All calls of `vals mcp` share it. */
export interface Services {
  local: OpenLocal;
  connections(base: BaseUrl, proxy: ProxyServer | undefined): Promise<OpenDispatcher>;
  close(): Promise<void>;
}

export function createServices(openLocal: OpenLocal = noLocalService): Services {
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
      local ??= openLocal(settings, onUpgrade).catch((error) => {
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

async function noLocalService(): Promise<never> {
  throw new UsageError('This program has no embedded service.', {
    hint: 'Give the address of a service with --base-url.',
  });
}
