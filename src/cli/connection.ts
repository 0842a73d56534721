import { setMaxListeners } from 'node:events';
import { type Api, type ApiOptions, createApi } from '../api/api.ts';
import type { Request, RequestStage } from '../api/call.ts';
import type { OpenDispatcher } from '../api/http/dispatcher.ts';
import { exchange } from '../api/http/exchange.ts';
import { createGate, mostRequests } from '../api/http/gate.ts';
import { retrying } from '../api/http/retrying.ts';
import { tracing } from '../api/http/tracing.ts';
import { partWithSecret, refuseSecrets } from '../api/refuse-secrets.ts';
import { InterruptedError, type LocalError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { remember } from '../names/remember.ts';
import { noSeenVals, type SeenVals } from '../names/seen-vals.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import { type ProxyAddress, proxyFor } from '../settings/proxy.ts';
import { chosenBaseUrl, type Settings } from '../settings/settings.ts';
import type { Redactor } from '../terminal/redactor.ts';
import type { ConnectOptions } from './context.ts';
import { routeMessages } from './explain/by-route.ts';
import { explain, secretError, signInHint } from './explain/explain.ts';
import type { Services } from './services.ts';

export interface Connection {
  api: Api;
  name: string;
  /** Ends the requests that the command no longer needs, such as requests for the next pages of a list. */
  close(): void;
}

export interface ConnectionOptions extends ConnectOptions {
  services: Services;
  settings: Settings;
  signal: AbortSignal;
  clock: Clock;
  notes: ApiOptions['notes'] & { storeUpgraded(message: string): void };
  trace: ((line: string) => void) | undefined;
  seen: SeenVals;
  redactor: Redactor;
  wordFor(id: string): string | undefined;
}

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const target = await findTarget(options);
  const { clock, notes } = options;
  const { token, base } = target;
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  // Each request adds a listener. Node would print a warning for more than ten.
  setMaxListeners(0, signal);
  return {
    name: target.isLocal ? 'the embedded service' : base.href.replace(/^https?:\/\//, ''),
    api: createApi(wayOfRequest(target, { ...options, signal }), {
      notes,
      clock,
      signal,
      refuseToken(call) {
        const part = partWithSecret(call, token);
        if (part !== undefined) throw secretError(part);
      },
    }),
    close: () => closing.abort(new InterruptedError(0)),
  };
}

/** The way of a request from a command to the service. The reply, or the failure, takes the same way back. */
function wayOfRequest(
  { base, token, proxy, dispatcher, ...target }: Target,
  options: ConnectionOptions,
): Request {
  const { settings, signal, clock, seen, trace, redactor, wordFor, concurrency = 'auto' } = options;
  const { redact } = redactor;
  const isNewToken = options.token !== undefined;
  const deadlineMs = Math.min(settings.timeout.value * 1_000, options.mostMs ?? Number.POSITIVE_INFINITY);
  const gate = createGate(concurrency === 'auto' ? target.concurrency : concurrency, clock, signal);
  return through(
    [
      explain({
        base,
        proxy,
        signal,
        redact,
        hasToken: token !== undefined,
        storeFailure: target.storeFailure,
        messagesFor: (call) => routeMessages(call, wordFor),
        signInHint: () => options.signInHint ?? signInHint(settings, base, isNewToken),
      }),
      // What was seen belongs to the token in the settings.
      remember(isNewToken ? noSeenVals : seen),
      refuseSecrets(token),
      retrying({
        clock,
        deadlineMs,
        gate,
        signal,
        onPause: (ms) => trace?.(`  retry in ${Math.round(ms)} ms`),
      }),
      ...(trace === undefined ? [] : [tracing({ base, clock, trace, redact })]),
    ],
    exchange(dispatcher, { base, token, userAgent: `vals/${VERSION}`, clock, signal }),
  );
}

const through = (stages: readonly RequestStage[], last: Request): Request =>
  stages.reduceRight((next, stage) => stage(next), last);

interface Target {
  base: BaseUrl;
  token: string | undefined;
  proxy: ProxyAddress | undefined;
  dispatcher: OpenDispatcher;
  concurrency: number | 'auto';
  isLocal: boolean;
  storeFailure(status: number): LocalError | undefined;
}

async function findTarget(options: ConnectionOptions): Promise<Target> {
  const { services, settings, redactor } = options;
  const isLocal = settings.local.value && options.baseUrl === undefined;
  const local = isLocal ? await services.local(settings, options.notes.storeUpgraded) : undefined;
  const base = local?.base ?? options.baseUrl ?? chosenBaseUrl(settings);
  const token = local?.token ?? options.token ?? settings.token?.value;
  const proxy = proxyFor(base.origin, settings.proxy);
  redactor.add(token);
  redactor.add(proxy?.credentials);
  return {
    base,
    token,
    proxy,
    isLocal,
    dispatcher: await services.connections(base, proxy),
    // The embedded service is in this process, so there is no limit to find.
    concurrency: isLocal ? mostRequests : 'auto',
    storeFailure: (status) => (status >= 500 ? local?.failure() : undefined),
  };
}
