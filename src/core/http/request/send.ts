import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { isObject, type JsonValue, parseIfJson } from '../../lib/json.ts';
import { errnoOf } from '../../lib/system.ts';
import type { Clock } from '../../lib/waiting.ts';
import type { Call, Reply } from '../call.ts';
import { arrayIn, nextLinkIn } from '../record-fields.ts';
import { keepParser, type OpenDispatcher } from './dispatcher.ts';
import { type Fault, isRead, type UnusableReply } from './faults.ts';
import { faultOf, type NoReply, TimeoutError } from './no-reply.ts';

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

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** An error, if the body did not arrive as a whole. */
  body: Buffer | Error;
}

export function readReply(call: Call, reply: HttpReply, now: number): Reply | Fault {
  const { status, body } = reply;
  const unusable = (problem: UnusableReply): Fault => ({ kind: 'unusable', status, problem });
  if (status >= 300 && status < 400)
    return unusable({ kind: 'redirect', location: headerOf(reply, 'location') });
  if (status > 299) return readError(reply, now);
  if (ignoresBody(call, status)) return { status, body: undefined };
  const encoding = headerOf(reply, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return unusable({ kind: 'compressed', encoding });
  if (!(body instanceof Error)) return readSuccess(call, reply, body);
  if (errnoOf(body) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return unusable({ kind: 'too large' });
  return faultOf({ error: body, mayHaveReachedService: true });
}

function ignoresBody({ method, isRaw }: Call, status: number): boolean {
  if (status === 204) return isRaw === true || !isRead(method);
  return method === 'HEAD' || (method === 'DELETE' && !isRaw);
}

function headerOf({ headers }: HttpReply, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function readSuccess({ method, isRaw, expects }: Call, reply: HttpReply, bytes: Buffer): Reply | Fault {
  const { status } = reply;
  if (!isUtf8(bytes)) return { kind: 'unreadable', status, problem: 'not UTF-8' };
  const text = bytes.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') {
    return isRead(method) ? { kind: 'unreadable', status, problem: 'empty' } : { status, body: undefined };
  }
  const body = parseIfJson(text);
  if (body === undefined) return { kind: 'unreadable', status, problem: 'not JSON', body: text };
  const problem = isRaw ? undefined : problemOf(body, expects);
  if (problem !== undefined) return { kind: 'unusable', status, problem };
  return { status, body, ...etagOf(reply) };
}

function problemOf(body: JsonValue, expects: Call['expects']): UnusableReply | undefined {
  if (isErrorRecord(body)) return { kind: 'wrong shape', wanted: 'a record', found: body };
  if (expects === undefined) return undefined;
  if (expects === 'record')
    return isObject(body) ? undefined : { kind: 'wrong shape', wanted: 'a record', found: body };
  const list = arrayIn(body);
  if (list === undefined) return { kind: 'wrong shape', wanted: 'a list', found: body };
  const stray = list.find((entry) => !isObject(entry));
  if (stray !== undefined) return { kind: 'wrong shape', wanted: 'a record in a list', found: stray };
  const next = nextLinkIn(body) ?? '';
  return typeof next === 'string'
    ? undefined
    : { kind: 'wrong shape', wanted: 'a link to the next page', found: next };
}

/** Some services send an error with the status of a success. A run has an `error` too, but also a version. */
function isErrorRecord(body: JsonValue): boolean {
  if (!isObject(body) || body.id !== undefined || body.version !== undefined) return false;
  const hasError = [body.error, body.errors].some((error) =>
    Array.isArray(error) ? error.length > 0 : error,
  );
  return hasError && arrayIn(body) === undefined;
}

/** A weak ETag is of no use here: by the rules of HTTP, If-Match never matches a weak ETag. */
function etagOf(reply: HttpReply): Pick<Reply, 'etag'> {
  const etag = headerOf(reply, 'etag');
  return etag !== undefined && /^(?!W\/)[!-~]+$/.test(etag) ? { etag } : {};
}

function readError(reply: HttpReply, now: number): Fault {
  const { status } = reply;
  const text = reply.body instanceof Error ? '' : new TextDecoder().decode(reply.body);
  const json = parseIfJson(text);
  const body = json === undefined && text.trim() !== '' ? text : json;
  const retryAfterMs = parseRetryAfter(headerOf(reply, 'retry-after'), now);
  return { kind: 'status', status, body, retryAfterMs };
}

function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  // Date.parse also accepts texts that are not dates, so the header must contain a year and a time.
  const date = /\d{4}.*:/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
