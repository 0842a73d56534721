// Who may look at the page: the owner's browser, known by its connection, or by the link of the moment and a cookie.
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Context } from 'hono';
import { type Env, isSame } from './guard.ts';

export interface PageAccess {
  /** Good for one visit; the next one has another. */
  readonly key: string;
  /** Lets a browser in, and gives it the cookie when it came with the key. */
  admit(c: Context<Env>): boolean;
}

/**
 * A link can be seen by others, in the list of processes when a browser is started with it, so it is good for once.
 * Browsers send a cookie to all ports of a host, so it opens this page until the service ends, and nothing else.
 */
export function createPageAccess(isOwners: (socket: Socket) => boolean): PageAccess {
  const session = secret();
  let key = secret();
  return {
    get key() {
      return key;
    },
    admit(c) {
      const { socket } = c.env.incoming;
      if (isOwners(socket)) return true;
      const name = `vals-${socket.localPort}`;
      if (isSame(cookie(c.req.header('cookie'), name), session)) return true;
      if (!isSame(c.req.query('key') ?? '', key)) return false;
      key = secret();
      c.header('Set-Cookie', `${name}=${session}; Path=/; HttpOnly; SameSite=Strict`);
      return true;
    },
  };
}

function cookie(header = '', name: string): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

const secret = (): string => randomBytes(32).toString('base64url');
