import { setMaxListeners } from 'node:events';
import { explain } from '../failures/explain.ts';
import { isAboutOthers } from '../find-val/others.ts';
import { noSeenVals, noteFailure, noteReply } from '../find-val/seen-vals.ts';
import { type Api, createApi } from '../http/api.ts';
import type { Call, Reply } from '../http/call.ts';
import { CallFailed } from '../http/request/faults.ts';
import { createLimiter, mostRequests } from '../http/request/limiter.ts';
import { createRequest, secretIn } from '../http/request/request.ts';
import { type Hints, sh } from '../lib/hint.ts';
import { warnWith } from '../output/out.ts';
import { type BaseUrl, proxyFor } from '../settings/addresses.ts';
import { chosenBaseUrl, type Settings } from '../settings/settings.ts';
import type { Connect, Context } from './command.ts';

export interface Connection {
  api: Api;
  name: string;
}

/** The way of a call to the service and back: what was seen is noted, and failures are explained. */
export async function openConnection(context: Context, to: Connect = {}): Promise<Connection> {
  const { host, connections, settings, out } = context;
  const { clock, redactor } = host;
  const isLocal = settings.local.value && to.baseUrl === undefined;
  const local = isLocal ? await connections.local(settings) : undefined;
  const base = local?.base ?? to.baseUrl ?? chosenBaseUrl(settings);
  const token = local?.token ?? to.token ?? settings.token?.value;
  const proxy = proxyFor(base.origin, settings.proxy);
  redactor.add(token);
  const open = await connections.to(base, proxy);
  const signal = to.signal ?? host.signal;
  // Each request adds a listener. Node would print a warning for more than ten.
  setMaxListeners(0, signal);
  // The embedded service is in this process, so there is no limit to find.
  const { concurrency = isLocal ? mostRequests : 'auto' } = to;
  // What was seen belongs to a token.
  const seen = to.token === undefined ? context.vals.seen : noSeenVals;
  const { redact } = out;
  const send = createRequest({
    ...{ base, token, open, clock, signal },
    userAgent: `vals/${VERSION}`,
    limiter: createLimiter(concurrency, signal),
    deadlineMs: Math.min(settings.timeout.value * 1_000, to.mostMs ?? Number.POSITIVE_INFINITY),
    trace: settings.debug.value ? { write: (text) => out.say({ kind: 'trace', text }), redact } : undefined,
  });
  const explained = (error: CallFailed) =>
    explain(error, {
      ...{ base, signal, redact, proxy },
      hasToken: token !== undefined,
      signInHint: () => to.signInHint ?? hintToSignIn(settings, base),
    });

  /** The ids of vals that the service showed. */
  const read = new Set<string>();

  async function request(call: Call): Promise<Reply> {
    try {
      const reply = await send(call);
      if (call.route === 'getVal' && call.val !== undefined) read.add(call.val.id);
      noteReply(call, reply, seen);
      return reply;
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      noteFailure(error, seen);
      const { fault } = error;
      const isOfServer = fault.kind === 'status' && fault.status >= 500;
      const isOthers = await isAboutOthers(error, send, read);
      throw (isOfServer && local?.failure()) || explained(isOthers ? error.ofOthers() : error);
    }
  }

  function refuseToken(call: Call): void {
    const fault = token === undefined ? undefined : secretIn(call, token);
    if (fault !== undefined) throw explained(new CallFailed(call, fault));
  }

  const warn = warnWith(out.say);
  return {
    name: isLocal ? 'the embedded service' : base.href.replace(/^https?:\/\//, ''),
    api: createApi(request, {
      ...{ clock, signal, refuseToken },
      onStuck: () => warn('The list of the service goes on without new records, so it may be incomplete.'),
      onOutage: ({ message }) =>
        warn(`${message} New records are shown as soon as the service can be reached.`),
      onOutageEnd: () => out.say({ kind: 'note', text: 'The service can be reached again.' }),
    }),
  };
}

/** What to do without a token, or with one that the service does not accept. */
function hintToSignIn(settings: Settings, { href }: BaseUrl): Hints {
  const { token } = settings;
  if (token === undefined && settings.isEmpty('VALS_TOKEN')) {
    return 'VALS_TOKEN is set, but empty. In CI, check the name of the secret.';
  }
  if (token?.source === 'VALS_TOKEN') return 'Set VALS_TOKEN to a token of the service.';
  return [sh`To sign in, run ${['login', href]}.`, 'Or set VALS_TOKEN.'];
}
