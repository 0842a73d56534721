import { type Api, type ApiOptions, createApi } from '../api/api.ts';
import type { Call } from '../api/call.ts';
import { createClient } from '../api/http/client.ts';
import { mostRequests } from '../api/http/pace.ts';
import { credentialsOf, type ProxyAddress } from '../api/http/proxy.ts';
import { type LocalError, UsageError, ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Hints } from '../lib/hint.ts';
import { bypassesProxy, isLoopback } from '../lib/host-names.ts';
import { notingReplies } from '../names/note-replies.ts';
import type { SeenVals } from '../names/seen-vals.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import { chosenBaseUrl, type Setting, type Settings } from '../settings/settings.ts';
import type { Redactor } from '../terminal/streams.ts';
import type { ConnectOptions } from './context.ts';
import { checkingSpace } from './space-access.ts';

export interface Connection {
  api: Api;
  name: string;
  close(): Promise<void>;
}

export interface ConnectionOptions extends ConnectOptions {
  settings: Settings;
  signal: AbortSignal;
  clock: Clock;
  notes: ApiOptions['notes'];
  trace(line: string): void;
  seen: SeenVals;
  redactor: Redactor;
  wordFor(id: string): string | undefined;
}

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const service = isLocal(options) ? await startLocal(options.settings) : remote(options);
  try {
    return connectTo(service, options);
  } catch (error) {
    await service.close?.();
    throw error;
  }
}

type Service = ReturnType<typeof remote> | Awaited<ReturnType<typeof startLocal>>;

function connectTo(service: Service, options: ConnectionOptions): Connection {
  const { baseUrl, token, close, explain, pace } = service;
  const { settings, signal, clock, trace, redactor, concurrency = 'auto' } = options;
  redactor.add(token);
  const proxy = proxyFor(baseUrl, settings);
  redactor.add(proxy && credentialsOf(proxy.url));
  const client = createClient({
    concurrency: concurrency === 'auto' ? pace : concurrency,
    baseUrl,
    token,
    userAgent: `vals/${VERSION}`,
    deadlineMs: Math.min(settings.timeout.value * 1_000, options.mostMs ?? Number.POSITIVE_INFINITY),
    proxy,
    signal,
    clock,
    trace,
    redact: redactor.redact,
    signInHint: signInHint(options, baseUrl),
    wordFor: options.wordFor,
  });
  const request = checkingSpace((call: Call) => client.request(call).catch(explain), baseUrl);
  const usesOtherToken = options.token !== undefined;
  return {
    name: isLocal(options) ? 'the embedded service' : baseUrl.href.replace(/^https?:\/\//, ''),
    // `seen` belongs to the token in the settings, so replies to requests with another token are not noted.
    api: createApi(usesOtherToken ? request : notingReplies(request, options.seen), {
      notes: options.notes,
      token,
      clock,
      signal,
    }),
    async close() {
      client.close();
      await close?.();
    },
  };
}

const isLocal = ({ settings, baseUrl }: ConnectionOptions): boolean =>
  settings.local.value && baseUrl === undefined;

function signInHint({ settings, token, signInHint }: ConnectionOptions, { href }: BaseUrl): Hints {
  if (signInHint !== undefined) return signInHint;
  if (token !== undefined) return 'Nothing was stored. Check the token, then sign in again.';
  if (settings.token?.source === 'VALS_TOKEN') return 'Set VALS_TOKEN to a token of the service.';
  return [{ text: 'To sign in', command: 'login', input: { baseUrl: href } }, 'Or set VALS_TOKEN.'];
}

function proxyFor({ origin }: BaseUrl, settings: Settings): ProxyAddress | undefined {
  const { protocol, hostname } = new URL(origin);
  const { https, http, none } = settings.proxy;
  const proxy = protocol === 'https:' ? (https ?? http) : http;
  if (proxy === undefined || isLoopback(hostname) || bypassesProxy(none?.value ?? '', origin)) {
    return undefined;
  }
  return { url: parseProxy(proxy), variable: proxy.source };
}

function parseProxy({ value, source }: Setting<string>): URL {
  try {
    const url = new URL(value);
    credentialsOf(url);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {}
  // The message must not repeat the address, because the address may contain a password.
  throw new UsageError(`${source} is not the address of a proxy.`, {
    hint: 'Set the variable to an address such as http://proxy.example.com:3128, or unset the variable. If the address contains a user name and a password, percent-encode both.',
  });
}

function remote({ settings, token, baseUrl }: ConnectionOptions) {
  return {
    baseUrl: baseUrl ?? chosenBaseUrl(settings),
    token: token ?? settings.token?.value,
    close: undefined,
    explain: rethrow,
    pace: 'auto' as const,
  };
}

function rethrow(error: unknown): never {
  throw error;
}

async function startLocal(settings: Settings) {
  const { startService, loopbackOnly } = await import('../service/index.ts');
  let failure: LocalError | undefined;
  const onStoreFailure = (error: LocalError) => {
    failure = error;
  };
  const network = { ...loopbackOnly, endsWithCommand: true };
  const service = await startService({ file: settings.dataFile, port: 0, network, onStoreFailure });
  const { baseUrl, token, close } = service;
  const explain = (error: unknown): never => {
    throw failure && error instanceof ValsError && (error.facts.status ?? 0) >= 500 ? failure : error;
  };
  return { baseUrl: { origin: baseUrl, href: baseUrl }, token, close, explain, pace: mostRequests };
}
