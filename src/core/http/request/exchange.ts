import type { Clock } from '../../lib/clock.ts';
import type { Call, Request } from '../call.ts';
import type { OpenDispatcher } from './dispatcher.ts';
import { CallFailed, connectionFault, isFault } from './faults.ts';
import { readReply } from './read-reply.ts';
import { send } from './send.ts';

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
    const { base, token, clock, signal } = options;
    if (token === undefined && !call.tokenIsOptional) throw new CallFailed(call, { kind: 'no_token' });
    const result = await send(
      open,
      {
        method: call.method,
        origin: base.origin,
        path: addressOf(call, base).slice(base.origin.length),
        ...headersAndBody(call, options),
      },
      { clock, signal, limitMs: call.attempt?.limitMs ?? Number.POSITIVE_INFINITY },
    );
    const read = 'error' in result ? connectionFault(result) : readReply(call, result, clock.now());
    if (isFault(read)) throw new CallFailed(call, read);
    return read;
  };

function headersAndBody(call: Call, { token, userAgent }: ExchangeOptions) {
  const { ifMatch, ifNoneMatch, attempt } = call;
  const { idempotencyKey } = attempt ?? {};
  const body = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const headers = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  };
  return { headers, body };
}

export function addressOf({ path, query }: Call, { href }: { href: string }): string {
  const text = query?.toString();
  return href + path + (text ? `?${text}` : '');
}
