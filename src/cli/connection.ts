// The way to the service: a real one, or the embedded one started here. From then on both are alike.
import { type Api, type ApiOptions, createApi } from '../api/api.ts';
import { createClient } from '../api/http/client.ts';
import type { ProxySettings } from '../api/http/proxy.ts';
import { UsageError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type BaseUrl, isLoopback } from '../settings/base-url.ts';
import { chosenBaseUrl } from '../settings/chosen-service.ts';
import type { Setting, Settings } from '../settings/settings.ts';
import type { Redactor } from '../terminal/streams.ts';
import type { ConnectOptions } from './command.ts';

export interface Connection {
  api: Api;
  close(): Promise<void>;
}

export interface ConnectionOptions extends ConnectOptions {
  settings: Settings;
  signal: AbortSignal;
  clock: Clock;
  notes: ApiOptions['notes'];
  trace(line: string): void;
  /** Told of the token before anything can print it. */
  redactor: Redactor;
}

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { settings, signal, clock, trace, redactor } = options;
  const { baseUrl, token, close } = settings.local.value ? await startLocal(settings) : remote(options);
  redactor.add(token);
  const client = await createClient({
    baseUrl,
    token,
    userAgent: `vals/${VERSION}`,
    deadlineMs: Math.min(settings.timeout.value * 1_000, options.mostMs ?? Number.POSITIVE_INFINITY),
    proxy: proxyFor(baseUrl, settings),
    signal,
    clock,
    trace,
    redact: redactor.redact,
    signInHint: signInHint(options, baseUrl),
  });
  return {
    api: createApi(client, { notes: options.notes, token, clock, signal }),
    async close() {
      await client.close();
      await close?.();
    },
  };
}

function signInHint({ settings, token }: ConnectionOptions, { href }: BaseUrl): string {
  if (token !== undefined) return 'Nothing was stored. Check the token, then try again.';
  if (settings.token?.source === 'VALS_TOKEN') return 'Set VALS_TOKEN to a token of this service.';
  return `Run \`vals login --base-url ${href}\`, or set VALS_TOKEN.`;
}

/** Loopback never goes through a proxy, whatever the environment says. */
function proxyFor(baseUrl: BaseUrl, settings: Settings): ProxySettings | undefined {
  if (isLoopback(new URL(baseUrl.origin).hostname)) return undefined;
  const { https, http, none } = settings.proxy;
  if (https === undefined && http === undefined) return undefined;
  return { httpsProxy: checkProxy(https), httpProxy: checkProxy(http), noProxy: none?.value ?? '' };
}

function checkProxy(proxy: Setting<string> | undefined): string {
  if (proxy === undefined) return '';
  if (URL.canParse(proxy.value) && /^https?:$/.test(new URL(proxy.value).protocol)) return proxy.value;
  // It may hold a password, so it is not repeated.
  throw new UsageError(`${proxy.source} is not the address of a proxy.`, {
    hint: 'Give it like http://proxy.example.com:3128, or unset it.',
  });
}

function remote({ settings, token }: ConnectionOptions) {
  return { baseUrl: chosenBaseUrl(settings), token: token ?? settings.token?.value, close: undefined };
}

async function startLocal(settings: Settings) {
  const { startService } = await import('../service/index.ts');
  const { baseUrl, token, close } = await startService({ file: settings.dataFile, port: 0 });
  return { baseUrl: { origin: baseUrl, href: baseUrl }, token, close };
}
