// Connects to a remote service, or starts the embedded service and connects to the embedded service.
import { type Api, type ApiOptions, createApi } from '../api/api.ts';
import type { Call } from '../api/call.ts';
import { createClient } from '../api/http/client.ts';
import { mostRequests } from '../api/http/pace.ts';
import { credentialsOf, type ProxyAddress } from '../api/http/proxy.ts';
import { type LocalError, UsageError, ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { bypassesProxy, isLoopback } from '../lib/host-names.ts';
import { shell } from '../lib/shell-command.ts';
import { notingAnswers } from '../names/note-answers.ts';
import type { SeenVals } from '../names/seen-vals.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import { chosenBaseUrl, type Setting, type Settings } from '../settings/settings.ts';
import type { Redactor } from '../terminal/streams.ts';
import type { ConnectOptions } from './context.ts';
import { loadService } from './load-service.ts';
import { checkingSpace } from './space-access.ts';

export interface Connection {
  api: Api;
  /** Whether a request that may have changed something was sent. */
  hasWritten(): boolean;
  /** The name of the service in messages. */
  name: string;
  close(): Promise<void>;
}

export interface ConnectionOptions extends ConnectOptions {
  settings: Settings;
  signal: AbortSignal;
  clock: Clock;
  notes: ApiOptions['notes'];
  trace(line: string): void;
  /** The cache of vals that this machine has seen. Vals in the answers of the service are added to this cache. */
  seen: SeenVals;
  /** Gets the token before the first request, so that no output can contain the token. */
  redactor: Redactor;
}

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const service = isLocal(options) ? await startLocal(options.settings) : remote(options);
  try {
    return connectTo(service, options);
  } catch (error) {
    // A setting is checked when the setting is first read, so an invalid setting throws after the embedded service was
    // started. Without this call of `close`, the embedded service would keep running.
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
  });
  const request = checkingSpace((call: Call) => client.request(call).catch(explain), baseUrl);
  // `login` and `copy --to` pass a token that replaces the token of the settings. Vals that are read with such a token
  // are not remembered.
  const usesOwnToken = options.token !== undefined;
  return {
    name: isLocal(options) ? 'the embedded service' : baseUrl.href.replace(/^https?:\/\//, ''),
    api: createApi(
      { ...client, request: usesOwnToken ? request : notingAnswers(request, options.seen) },
      { notes: options.notes, token, clock, signal },
    ),
    hasWritten: client.hasWritten,
    async close() {
      await client.close();
      await close?.();
    },
  };
}

/** A base URL in the options of the connection overrides --local. */
const isLocal = ({ settings, baseUrl }: ConnectionOptions): boolean =>
  settings.local.value && baseUrl === undefined;

function signInHint({ settings, token, signInHint }: ConnectionOptions, { href }: BaseUrl): string {
  if (signInHint !== undefined) return signInHint;
  if (token !== undefined) return 'Nothing was stored. Check the token, then try again.';
  if (settings.token?.source === 'VALS_TOKEN') return 'Set VALS_TOKEN to a token of this service.';
  return `Run ${shell`vals login --base-url ${href}`}, or set VALS_TOKEN.`;
}

/** Requests to loopback addresses never use a proxy, even if the environment names one. */
function proxyFor({ origin }: BaseUrl, settings: Settings): ProxyAddress | undefined {
  const { protocol, hostname } = new URL(origin);
  const { https, http, none } = settings.proxy;
  const proxy = protocol === 'https:' ? (https ?? http) : http;
  if (proxy === undefined || isLoopback(hostname) || bypassesProxy(none?.value ?? '', origin)) {
    return undefined;
  }
  return { url: parseProxy(proxy), source: proxy.source };
}

function parseProxy({ value, source }: Setting<string>): URL {
  try {
    const url = new URL(value);
    credentialsOf(url);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {
    // An invalid address leads to the error below.
  }
  // The message does not repeat the address, which may contain a password.
  throw new UsageError(`${source} is not the address of a proxy.`, {
    hint: 'Set it to an address such as http://proxy.example.com:3128, with user name and password percent-encoded, or unset it.',
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
  const { startService, loopbackOnly } = await loadService();
  let failure: LocalError | undefined;
  const onStoreFailure = (error: LocalError) => {
    failure = error;
  };
  const network = { ...loopbackOnly, endsWithCaller: true };
  const service = await startService({ file: settings.dataFile, port: 0, network, onStoreFailure });
  const { baseUrl, token, close } = service;
  /** The embedded service runs in this process, so a failure of its store is a local error. */
  const explain = (error: unknown): never => {
    throw failure && error instanceof ValsError && (error.facts.status ?? 0) >= 500 ? failure : error;
  };
  // The number of requests at a time is fixed, because the embedded service never answers 429, and because requests
  // that arrive together share one commit of the database.
  return { baseUrl: { origin: baseUrl, href: baseUrl }, token, close, explain, pace: mostRequests };
}
