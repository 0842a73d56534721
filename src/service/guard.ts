// Who may come in, and with what: callers who use its name, no web pages, the token, so many requests, JSON of a sane size.
import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { isAmong } from '../lib/addresses.ts';
import type { Bindings } from './listener.ts';
import { callerOf, hostNames, type Network } from './network.ts';
import { Problem, unauthorized } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Caller, Store } from './store.ts';

export interface Env {
  Bindings: Bindings;
  Variables: {
    /** Undefined for one who showed no token. */
    user: Caller;
    /** Of the links in an answer. */
    origin: string;
  };
}

const largestBody = 4 * 1024 * 1024;
const jsonType = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/** A name that was rebound to this address shows in Host, and a token in the clear is refused before it is looked at. */
export function ownNames(network: Network): MiddlewareHandler<Env> {
  const { publicUrl, proxies, certificate } = network;
  return async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
    const { socket } = c.env.incoming;
    if (publicUrl && !certificate && !isAmong(proxies, socket.remoteAddress)) {
      throw new Problem(403, `This address takes requests from its proxy alone. Ask ${publicUrl.origin}.`);
    }
    const names = hostNames(network, socket.localPort);
    const url = new URL(c.req.url);
    // A request line with a whole URL names a host, too.
    for (const host of [c.req.header('host'), url.host]) {
      if (!names.includes(`${host}`.toLowerCase())) {
        throw new Problem(
          403,
          `This service answers only ${publicUrl ? `as ${publicUrl.origin}` : 'under its loopback address'}.`,
        );
      }
    }
    c.set('origin', publicUrl?.origin ?? url.origin);
    await next();
  };
}

/** A request that a page of another site makes shows in Origin. */
export const noWebPages: MiddlewareHandler<Env> = async (c, next) => {
  if (c.req.header('origin') !== undefined) {
    throw new Problem(403, 'This service does not answer web pages.');
  }
  await next();
};

/** For each token so many requests a second and at a time; who shows none is counted by address. */
export function limited(rateLimit: RateLimit, network: Network): MiddlewareHandler<Env> {
  return async (c, next) => {
    const leave = rateLimit.enter(c.get('user')?.id ?? addressOf(c, network));
    if (leave === undefined) throw tooMany();
    c.env.outgoing.once('close', leave);
    await next();
  };
}

const addressOf = (c: Context<Env>, { proxies }: Network): string =>
  `address ${callerOf(c.env.incoming, proxies)}`;

const tooMany = (): Problem =>
  new Problem(429, 'There are too many requests.', { headers: { 'Retry-After': '1' } });

/** Refuses by its headers a body that could not be read here. */
export const readable: MiddlewareHandler<Env> = async (c, next) => {
  const length = Number(c.req.header('content-length') ?? 0);
  if (length > 0 || c.req.header('transfer-encoding') !== undefined) {
    if ((c.req.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
      throw new Problem(415, 'A body must not be compressed.');
    }
    if (!jsonType.test(c.req.header('content-type') ?? '')) {
      throw new Problem(415, 'A body must be application/json in UTF-8.');
    }
    if (length > largestBody) throw tooLarge();
  }
  await next();
};

/**
 * Lets callers without a token pass, unknown; a wrong token is refused wherever it is shown, and counted by address. Who
 * shows too many is told so before the store is asked again.
 */
export function identify(
  { userWithToken }: Store,
  rateLimit: RateLimit | undefined,
  network: Network,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const header = c.req.header('authorization');
    const stranger = () => `wrong token, ${addressOf(c, network)}`;
    if (header !== undefined && rateLimit?.isSpent(stranger())) throw tooMany();
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
    const user = token === undefined ? undefined : await userWithToken(token);
    if (header !== undefined && !user) {
      rateLimit?.enter(stranger())?.();
      throw unauthorized('The token is not one of this service.');
    }
    c.set('user', user);
    await next();
  };
}

export const signedInOnly: MiddlewareHandler<Env> = async (c, next) => {
  if (!c.get('user')) throw unauthorized('This needs the header "Authorization: Bearer <token>".');
  await next();
};

export async function readJson(c: Context<Env>): Promise<unknown> {
  const bytes = await readBytes(c.env.incoming);
  if (!isUtf8(bytes)) throw new Problem(400, 'The body is not UTF-8.');
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
}

export async function readBytes(incoming: IncomingMessage, most = largestBody): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Destroying the request would take the connection, and with it the answer, away.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(most = largestBody): Problem {
  return new Problem(413, `A body must have at most ${most} bytes.`);
}

/** In a time that tells nothing of the secret. */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The values of all cookies with this name. */
export function cookies(header = '', name: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
