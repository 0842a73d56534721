import type { Clock } from '../../lib/clock.ts';
import type { Call, Request } from '../call.ts';
import { CallFailed } from './call-failed.ts';
import { connectionFault } from './connection-fault.ts';
import { dispatch, type HttpRequest } from './dispatch.ts';
import { keepParser, type OpenDispatcher } from './dispatcher.ts';
import { readReply } from './read-reply.ts';
import { isFault } from './retry.ts';

export interface ExchangeOptions {
  base: { origin: string; href: string };
  token: string | undefined;
  userAgent: string;
  clock: Clock;
  signal: AbortSignal;
}

/** The last stage: one request, and the reply of the service to it. */
export const exchange =
  (open: OpenDispatcher, options: ExchangeOptions): Request =>
  async (call) => {
    const { token, clock, signal } = options;
    const { limitMs = Number.POSITIVE_INFINITY } = call.attempt ?? {};
    if (token === undefined && !call.tokenIsOptional) throw new CallFailed(call, { kind: 'no_token' });
    const request = httpRequestOf(call, options);
    const received = dispatch(open.dispatcher, request, { limitMs, clock, signal });
    keepParser(open);
    const result = await received;
    // undici's pool notices after the reply that the connection is free. Without the wait, the next request would open
    // another connection.
    await new Promise(setImmediate);
    const { isRaw = false, expects } = call;
    const read =
      'error' in result
        ? connectionFault(result)
        : readReply(request, result, { isRaw, expects, now: clock.now() });
    if (isFault(read)) throw new CallFailed(call, read);
    return read;
  };

function httpRequestOf(call: Call, { base, token, userAgent }: ExchangeOptions): HttpRequest {
  const { method, ifMatch, ifNoneMatch, attempt } = call;
  const { origin } = base;
  const body = bodyOf(call);
  const { idempotencyKey } = attempt ?? {};
  const headers = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  };
  return { method, origin, pathWithQuery: addressOf(call, base).slice(origin.length), headers, body };
}

export function addressOf({ path, query }: Call, { href }: { href: string }): string {
  const text = query?.toString();
  return href + path + (text ? `?${text}` : '');
}

function bodyOf({ text, body }: Call): string | undefined {
  if (text !== undefined) return text;
  return body === undefined ? undefined : JSON.stringify(body);
}
