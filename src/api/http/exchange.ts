import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { Call, Request } from '../call.ts';
import { keepParser, type OpenDispatcher } from './dispatcher.ts';
import { CallFailed, connectionFault, isFault, type NoReply, TimeoutError } from './faults.ts';
import { type HttpReply, readReply } from './read-reply.ts';

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
    const { token, clock } = options;
    if (token === undefined && !call.tokenIsOptional) throw new CallFailed(call, { kind: 'no_token' });
    const received = dispatch(open.dispatcher, call, options);
    keepParser(open);
    const result = await received;
    // undici's pool notices after the reply that the connection is free. Without the wait, the next request would open
    // another connection.
    await new Promise(setImmediate);
    const read = 'error' in result ? connectionFault(result) : readReply(call, result, clock.now());
    if (isFault(read)) throw new CallFailed(call, read);
    return read;
  };

/** Sends one request on one connection. Calls undici's `dispatch`, which does half as much work as its `request`. */
function dispatch(
  dispatcher: Dispatcher,
  call: Call,
  options: ExchangeOptions,
): Promise<HttpReply | NoReply> {
  const { base, clock, signal } = options;
  const { limitMs = Number.POSITIVE_INFINITY } = call.attempt ?? {};
  return new Promise((resolve) => {
    let head: Pick<HttpReply, 'status' | 'headers'> | undefined;
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let isFinished = false;
    const cancelLimit = clock.after(limitMs, () => end(new TimeoutError(limitMs)));
    const interrupt = () => end(new Error('interrupted'));
    signal.addEventListener('abort', interrupt);

    dispatcher.dispatch(
      {
        method: call.method as Dispatcher.HttpMethod,
        origin: base.origin,
        path: addressOf(call, base).slice(base.origin.length),
        ...headersAndBody(call, options),
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (isFinished) started.abort(new Error('too late'));
        },
        onResponseStart(_controller, status, headers) {
          const isInterim = status < 200;
          if (!isInterim) head = { status, headers };
        },
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd() {
          if (head) finish({ ...head, body: Buffer.concat(chunks) });
        },
        onResponseError: (_controller, error) => fail(error),
      },
    );

    function end(error: Error): void {
      fail(error);
      controller?.abort(error);
    }

    function fail(error: Error): void {
      if (head) finish({ ...head, body: error });
      else finish({ error, mayHaveReachedService: controller !== undefined });
    }

    function finish(result: HttpReply | NoReply): void {
      isFinished = true;
      cancelLimit();
      signal.removeEventListener('abort', interrupt);
      resolve(result);
    }
  });
}

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
