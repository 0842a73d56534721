import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { readOnlyMember } from '../errors.ts';
import { isObject } from '../lib/json.ts';
import { Problem, unauthorized } from './problem.ts';
import { headerOf, type ServiceRequest } from './request.ts';
import type { Principal } from './store/spaces.ts';
import type { Store } from './store/store.ts';

const largestBody = 2 * 1024 * 1024;
const jsonType = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

export function refuseWebPages(request: ServiceRequest): void {
  if (headerOf(request, 'origin') !== undefined) {
    throw new Problem(403, 'The service refuses requests from web pages. This request has an Origin header.');
  }
}

export function checkBodyHeaders(request: ServiceRequest): void {
  const length = Number(headerOf(request, 'content-length') ?? 0);
  if (length === 0 && headerOf(request, 'transfer-encoding') === undefined) return;
  if ((headerOf(request, 'content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new Problem(415, 'The request body must not be compressed. Omit the header Content-Encoding.');
  }
  if (!jsonType.test(headerOf(request, 'content-type') ?? '')) {
    throw new Problem(
      415,
      'The request body must be JSON in UTF-8, with the header "Content-Type: application/json".',
    );
  }
  if (length > largestBody) throw tooLarge();
}

export async function identify(request: ServiceRequest, { identify }: Store): ReturnType<Store['identify']> {
  const header = headerOf(request, 'authorization');
  if (header === undefined) return undefined;
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  const found = token === undefined ? undefined : await identify(token, request.space);
  if (found) return found;
  throw unauthorized('This service does not know the token.');
}

export function requireUser({ user }: ServiceRequest): Principal {
  if (user) return user;
  throw unauthorized('The request needs the header "Authorization: Bearer <token>".');
}

/** A caller who is not a member gets 404, because 403 would reveal that the space exists. */
export function checkMembership({ method, url, path, space, user, actor }: ServiceRequest): void {
  if (space === undefined) return;
  const mayHaveSession = path === '/' && !actor;
  if (!user && !mayHaveSession) throw nothingAt(url);
  if (user?.role === 'read' && method !== 'GET' && method !== 'HEAD') {
    throw new Problem(403, `You may read the vals of ${space}, but not change them.`, {
      type: readOnlyMember,
    });
  }
}

export const nothingAt = ({ pathname }: URL): Problem => new Problem(404, `There is nothing at ${pathname}.`);

export const tooManyRequests = (): Problem =>
  new Problem(429, 'You sent too many requests. Try again in a second.', { headers: { 'Retry-After': '1' } });

export function parseBody(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new Problem(400, 'The request body is not UTF-8.');
  const body = parse(bytes.toString());
  if (isObject(body)) return body;
  throw new Problem(400, 'The request body must be a JSON object.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, 'The request body is not JSON.');
  }
}

export async function readBytes({ incoming }: ServiceRequest, most = largestBody): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    const onGone = () => reject(new Problem(408, 'The client disconnected before the end of its request.'));
    if (incoming.destroyed) onGone();
    incoming.once('end', resolve).once('error', onGone).once('close', onGone);
    incoming.on('data', function onData(chunk: Buffer) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= most) return;
      incoming.off('data', onData);
      reject(tooLarge(most));
    });
  });
  return Buffer.concat(chunks);
}

function tooLarge(most = largestBody): Problem {
  return new Problem(413, `The request body must have at most ${most} bytes.`);
}

export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function cookieValues(request: ServiceRequest, name: string): string[] {
  return (headerOf(request, 'cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
