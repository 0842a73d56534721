// Who may come in, and with what: callers on this machine, no web pages, the token, JSON of a sane size.
import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { Problem, unauthorized } from './problem.ts';
import type { Caller, Store } from './store.ts';

export interface Env {
  Bindings: HttpBindings;
  Variables: {
    /** Undefined for one who showed no token. */
    user: Caller;
  };
}

const largestBody = 4 * 1024 * 1024;
const jsonType = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/** Keeps web pages out: a rebound name shows in Host, a cross-site request in Origin. */
export const local: MiddlewareHandler<Env> = async (c, next) => {
  c.header('Cache-Control', 'no-store');
  c.header('X-Content-Type-Options', 'nosniff');
  const port = c.env.incoming.socket.localPort;
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  const hosts = names.map((name) => `${name}:${port}`).concat(port === 80 ? names : []);
  // A request line with a whole URL names a host, too.
  for (const host of [c.req.header('host'), new URL(c.req.url).host]) {
    if (!hosts.includes(`${host}`.toLowerCase())) {
      throw new Problem(403, 'This service answers only under its loopback address.');
    }
  }
  if (c.req.header('origin') !== undefined) {
    throw new Problem(403, 'This service does not answer web pages.');
  }
  await next();
};

/** Refuses by its headers a body that nobody here could read. */
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

/** Lets callers without a token pass, unknown; a wrong token is refused wherever it is shown. */
export function identify({ userWithToken }: Store): MiddlewareHandler<Env> {
  return async (c, next) => {
    const header = c.req.header('authorization');
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
    const user = token === undefined ? undefined : await userWithToken(token);
    if (header !== undefined && !user) throw unauthorized('The token is not one of this service.');
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

async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Destroying the request would take the connection, and with it the answer, away.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > largestBody) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): Problem {
  return new Problem(413, `A body must have at most ${largestBody} bytes.`);
}

/** In a time that tells nothing of the secret. */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
