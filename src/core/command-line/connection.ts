import { setMaxListeners } from 'node:events';
import { InterruptedError, type LocalError } from '../errors.ts';
import { noSeenVals } from '../find-val/seen-vals.ts';
import { type Api, createApi } from '../http/api.ts';
import type { OpenDispatcher } from '../http/request/dispatcher.ts';
import { createLimiter, mostRequests } from '../http/request/limiter.ts';
import { warnWith } from '../output/out.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import { type ProxyAddress, proxyFor } from '../settings/proxy.ts';
import { chosenBaseUrl } from '../settings/settings.ts';
import type { ConnectOptions, Run } from './command.ts';
import { hintToSignIn } from './explain/sign-in.ts';
import { type RequestTo, requestTo } from './request-to.ts';

export interface Connection {
  api: Api;
  name: string;
  /** Ends the requests that the command no longer needs, such as requests for the next pages of a list. */
  close(): void;
}

export async function openConnection(run: Run, options: ConnectOptions = {}): Promise<Connection> {
  const { host, out } = run;
  const { clock } = host;
  const warn = warnWith(out.say);
  const target = await findTarget(run, options, (text) => out.say({ kind: 'note', text }));
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal ?? host.signal, closing.signal]);
  // Each request adds a listener. Node would print a warning for more than ten.
  setMaxListeners(0, signal);
  const { request, refuseToken } = requestsTo(target, run, { ...options, signal });
  return {
    name: target.isLocal ? 'the embedded service' : target.base.href.replace(/^https?:\/\//, ''),
    api: createApi(request, {
      clock,
      signal,
      refuseToken,
      onStuck: () => warn('The list of the service goes on without new records, so it may be incomplete.'),
      onMissing: () => warn('More records came than one look reads, so the oldest of them are missing.'),
    }),
    close: () => closing.abort(new InterruptedError(0)),
  };
}

function requestsTo(
  { base, token, proxy, dispatcher, ...target }: Target,
  { host, settings, vals, out }: Run,
  {
    token: newToken,
    concurrency = 'auto',
    mostMs = Number.POSITIVE_INFINITY,
    signInHint,
    signal,
  }: ConnectOptions & { signal: AbortSignal },
): RequestTo {
  const { redact } = out;
  const isNewToken = newToken !== undefined;
  const write = (text: string) => out.say({ kind: 'trace', text });
  return requestTo(
    {
      base,
      token,
      userAgent: `vals/${VERSION}`,
      open: dispatcher,
      limiter: createLimiter(concurrency === 'auto' ? target.concurrency : concurrency, signal),
      clock: host.clock,
      deadlineMs: Math.min(settings.timeout.value * 1_000, mostMs),
      signal,
      trace: settings.debug.value ? { write, redact } : undefined,
    },
    {
      base,
      proxy: () => (dispatcher.usesProxy() ? proxy : undefined),
      signal,
      redact,
      hasToken: token !== undefined,
      storeFailure: target.storeFailure,
      wordFor: vals.wordFor,
      signInHint: () => signInHint ?? hintToSignIn(settings, base, isNewToken),
    },
    // What was seen belongs to the token in the settings.
    isNewToken ? noSeenVals : vals.seen,
  );
}

interface Target {
  base: BaseUrl;
  token: string | undefined;
  proxy: ProxyAddress | undefined;
  dispatcher: OpenDispatcher;
  concurrency: number | 'auto';
  isLocal: boolean;
  storeFailure(status: number): LocalError | undefined;
}

async function findTarget(
  { host: { services, redactor }, settings }: Run,
  options: ConnectOptions,
  onUpgrade: (message: string) => void,
): Promise<Target> {
  const isLocal = settings.local.value && options.baseUrl === undefined;
  const local = isLocal ? await services.local(settings, onUpgrade) : undefined;
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
