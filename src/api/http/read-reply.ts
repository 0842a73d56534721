import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../lib/json.ts';
import { errnoOf } from '../../lib/system.ts';
import type { Reply } from '../call.ts';
import { isErrorRecord, serviceMessageOf } from '../records.ts';
import { connectionFault } from './connection-fault.ts';
import type { HttpReply, HttpRequest } from './exchange.ts';
import { type Fault, isRead, parseRetryAfter } from './retry.ts';

export interface ReadOptions {
  /** `vals api` sends raw requests. Their replies may be empty, and the body of the reply to a DELETE is shown. */
  isRaw: boolean;
  now: number;
  redact: (text: string) => string;
}

export function readReply(request: HttpRequest, reply: HttpReply, options: ReadOptions): Reply | Fault {
  const { status, body } = reply;
  const unusable = (reason: string): Fault => ({ kind: 'unusable', status, reason });
  if (status >= 300 && status < 400) {
    const location = headerOf(reply, 'location');
    const target = location === undefined ? '' : ` to ${location}`;
    return unusable(`sent a redirect${target}, and vals does not follow redirects`);
  }
  if (status < 200 || status > 299) return readError(reply, options);
  if (ignoresBody(request, status, options)) return { status, body: undefined };
  const encoding = headerOf(reply, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    return unusable(`sent a compressed reply (${encoding}), although the request did not ask for one`);
  }
  if (!(body instanceof Error)) return readSuccess(request, reply, body, options);
  if (errnoOf(body) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return unusable('sent a reply larger than 64 MiB');
  return connectionFault({ error: body, mayHaveReachedService: true }, request.origin);
}

function ignoresBody({ method }: HttpRequest, status: number, { isRaw }: ReadOptions): boolean {
  if (status === 204) return isRaw || !isRead(method);
  return method === 'HEAD' || (method === 'DELETE' && !isRaw);
}

function headerOf({ headers }: HttpReply, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function readSuccess(
  { method }: HttpRequest,
  reply: HttpReply,
  bytes: Buffer,
  { isRaw, redact }: ReadOptions,
): Reply | Fault {
  const { status } = reply;
  const unreadable = (reason: string, body?: string): Fault => ({ kind: 'unreadable', status, reason, body });
  if (!isUtf8(bytes)) return unreadable('sent a reply that is not UTF-8');
  const text = bytes.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') {
    return isRead(method) ? unreadable('sent an empty reply') : { status, body: undefined };
  }
  const body = jsonIn(text);
  if (body === undefined) return unreadable('sent a reply that is not JSON', beginningOf(text, redact));
  if (!isRaw && isErrorRecord(body)) {
    const message = serviceMessageOf(body, redact) ?? 'no reason was given';
    return { kind: 'unusable', status, reason: `sent an error with the status ${status}: ${message}` };
  }
  return { status, body, ...etagOf(reply) };
}

/** A weak ETag is of no use here: by the rules of HTTP, If-Match never matches a weak ETag. */
function etagOf(reply: HttpReply): Pick<Reply, 'etag'> {
  const etag = headerOf(reply, 'etag');
  return etag !== undefined && /^(?!W\/)[!-~]+$/.test(etag) ? { etag } : {};
}

function readError(reply: HttpReply, { now, redact }: ReadOptions): Fault {
  const { status } = reply;
  const text = reply.body instanceof Error ? '' : new TextDecoder().decode(reply.body);
  const json = jsonIn(text);
  const body = json === undefined && text.trim() !== '' ? text : json;
  return {
    kind: 'status',
    status,
    reason: `answered ${status}`,
    message: serviceMessageOf(body, redact),
    body: bodyToKeep(body, text, redact),
    retryAfterMs: parseRetryAfter(headerOf(reply, 'retry-after'), now),
  };
}

function jsonIn(text: string): ReturnType<typeof parseJson> | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const longestErrorBody = 65_536;
const longestBeginning = 2_000;

function bodyToKeep(body: unknown, text: string, redact: (text: string) => string): unknown {
  if (typeof body === 'string') return beginningOf(body, redact);
  return text.length > longestErrorBody ? beginningOf(text, redact) : body;
}

/** Removes the token first, because nobody would recognize a token that was cut in half. */
const beginningOf = (text: string, redact: (text: string) => string): string =>
  redact(text).slice(0, longestBeginning);
