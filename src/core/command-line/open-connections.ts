import { UsageError } from '../errors.ts';
import type { OpenDispatcher } from '../http/request/dispatcher.ts';
import type { ProxyServer } from '../http/request/tunnels.ts';
import type { OpenConnections, OpenLocal } from './command.ts';

export function createConnections(openLocal: OpenLocal = noLocalService): OpenConnections {
  const closing = new AbortController();
  const open = new Map<string, Promise<OpenDispatcher>>();
  let local: ReturnType<OpenLocal> | undefined;

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
    to({ origin }, proxy) {
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
