import { type Api, type ApiOptions, createApi } from '../api/api.ts';
import type { Call } from '../api/call.ts';
import { createClient } from '../api/http/client.ts';
import { mostRequests } from '../api/http/pace.ts';
import { type LocalError, ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Hints } from '../lib/hint.ts';
import { credentialsOf, proxyFor } from '../lib/proxy.ts';
import { notingReplies } from '../names/note-replies.ts';
import type { SeenVals } from '../names/seen-vals.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import { chosenBaseUrl, type Settings } from '../settings/settings.ts';
import type { Redactor } from '../terminal/redactor.ts';
import type { ConnectOptions } from './context.ts';
import { checkingSpace } from './space-access.ts';

export interface Connection {
  api: Api;
  name: string;
  close(): Promise<void>;
}

export interface ConnectionOptions extends ConnectOptions {
  /** VALS_TOKEN is set, but empty, as for a secret that CI does not know. */
  isTokenEmpty: boolean;
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
  const proxy = proxyFor(baseUrl.origin, settings.proxy);
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

function signInHint(
  { settings, token, signInHint, isTokenEmpty }: ConnectionOptions,
  { href }: BaseUrl,
): Hints {
  if (signInHint !== undefined) return signInHint;
  if (isTokenEmpty && settings.token === undefined) {
    return 'VALS_TOKEN is set, but empty. In CI, check the name of the secret.';
  }
  if (token !== undefined) return 'Nothing was stored. Check the token, then sign in again.';
  if (settings.token?.source === 'VALS_TOKEN') return 'Set VALS_TOKEN to a token of the service.';
  return [{ text: 'To sign in', command: 'login', input: { baseUrl: href } }, 'Or set VALS_TOKEN.'];
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
