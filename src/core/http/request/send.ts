import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { Call } from '../call.ts';
import { keepParser, type OpenDispatcher } from './dispatcher.ts';
import { isRead } from './faults.ts';
import { type NoReply, TimeoutError } from './no-reply.ts';
import type { HttpReply } from './read-reply.ts';

export interface HttpRequest {
  method: string;
  origin: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

/** Who sends, and to which service. */
export interface Sender {
  base: { origin: string; href: string };
  token: string | undefined;
  userAgent: string;
}

/** The same for all attempts of a call. */
export function requestOf(call: Call, { base, token, userAgent }: Sender): HttpRequest {
  const { method, path, query, ifMatch } = call;
  const body = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const search = query?.toString();
  return {
    method,
    origin: base.origin,
    path: base.href.slice(base.origin.length) + path + (search ? `?${search}` : ''),
    body,
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
  };
}

interface SendOptions {
  clock: Clock;
  limitMs: number;
  signal: AbortSignal;
}

/** After Ctrl-C, a write that is under way gets this long for its answer, so that fewer are in doubt. */
const graceMs = 1_000;

/** Sends one request on one connection. Calls undici's `dispatch`, which does half as much work as its `request`. */
export async function send(
  open: OpenDispatcher,
  request: HttpRequest,
  options: SendOptions,
): Promise<HttpReply | NoReply> {
  const received = dispatch(open.dispatcher, request, options);
  keepParser(open);
  const result = await received;
  // undici's pool notices after the reply that the connection is free. Without the wait, the next request would open
  // another connection.
  await new Promise(setImmediate);
  return result;
}

function dispatch(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { clock, limitMs, signal }: SendOptions,
): Promise<HttpReply | NoReply> {
  return new Promise((resolve) => {
    let head: Pick<HttpReply, 'status' | 'headers'> | undefined;
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let isFinished = false;
    let cancelLimit = clock.after(limitMs, () => end(new TimeoutError(limitMs)));
    const interrupt = () => {
      const stop = () => end(new Error('interrupted'));
      if (controller === undefined || isRead(request.method)) return stop();
      cancelLimit();
      cancelLimit = clock.after(graceMs, stop);
    };
    signal.addEventListener('abort', interrupt);

    dispatcher.dispatch(
      {
        ...request,
        method: request.method as Dispatcher.HttpMethod,
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
