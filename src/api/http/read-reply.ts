import { isUtf8 } from 'node:buffer';
import { parseIfJson } from '../../lib/json.ts';
import { errnoOf } from '../../lib/system.ts';
import type { Reply } from '../call.ts';
import { isErrorRecord } from '../record-fields.ts';
import { connectionFault } from './connection-fault.ts';
import type { HttpReply, HttpRequest } from './dispatch.ts';
import { type Fault, isRead, parseRetryAfter, type UnusableReply } from './retry.ts';

export interface ReplyOptions {
  /** `vals api` sends raw requests. Their replies may be empty, and the body of the reply to a DELETE is shown. */
  isRaw: boolean;
  now: number;
}

export function readReply(request: HttpRequest, reply: HttpReply, options: ReplyOptions): Reply | Fault {
  const { status, body } = reply;
  const unusable = (problem: UnusableReply): Fault => ({ kind: 'unusable', status, problem });
  if (status >= 300 && status < 400)
    return unusable({ kind: 'redirect', location: headerOf(reply, 'location') });
  if (status < 200 || status > 299) return readError(reply, options);
  if (ignoresBody(request, status, options)) return { status, body: undefined };
  const encoding = headerOf(reply, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return unusable({ kind: 'compressed', encoding });
  if (!(body instanceof Error)) return readSuccess(request, reply, body, options);
  if (errnoOf(body) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return unusable({ kind: 'too large' });
  return connectionFault({ error: body, mayHaveReachedService: true });
}

function ignoresBody({ method }: HttpRequest, status: number, { isRaw }: ReplyOptions): boolean {
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
  { isRaw }: ReplyOptions,
): Reply | Fault {
  const { status } = reply;
  if (!isUtf8(bytes)) return { kind: 'unreadable', status, problem: 'not UTF-8' };
  const text = bytes.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') {
    return isRead(method) ? { kind: 'unreadable', status, problem: 'empty' } : { status, body: undefined };
  }
  const body = parseIfJson(text);
  if (body === undefined) return { kind: 'unreadable', status, problem: 'not JSON', body: text };
  if (!isRaw && isErrorRecord(body)) return { kind: 'unusable', status, problem: { kind: 'error', body } };
  return { status, body, ...(isRaw && { text }), ...etagOf(reply) };
}

/** A weak ETag is of no use here: by the rules of HTTP, If-Match never matches a weak ETag. */
function etagOf(reply: HttpReply): Pick<Reply, 'etag'> {
  const etag = headerOf(reply, 'etag');
  return etag !== undefined && /^(?!W\/)[!-~]+$/.test(etag) ? { etag } : {};
}

function readError(reply: HttpReply, { now }: ReplyOptions): Fault {
  const { status } = reply;
  const text = reply.body instanceof Error ? '' : new TextDecoder().decode(reply.body);
  const json = parseIfJson(text);
  const body = json === undefined && text.trim() !== '' ? text : json;
  const retryAfterMs = parseRetryAfter(headerOf(reply, 'retry-after'), now);
  return { kind: 'status', status, body, retryAfterMs };
}
