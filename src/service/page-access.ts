// Who may look at the page: the browser that came with the link of the moment, known from then on by its cookie.
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { cookies, type Env, isSame } from './guard.ts';

export interface PageAccess {
  /** Good for one visit; the next one has another. */
  readonly key: string;
  /** Uses the key up: gives the browser that has it the cookie, and sends it on to the page. */
  welcome(c: Context<Env>): Response | undefined;
  /** Whether a request for the page comes from a browser that was welcomed. */
  isGuest(c: Context<Env>): boolean;
  /** A path as others may see it. */
  hide(path: string): string;
}

/**
 * A link can be seen by others, in the list of processes when a browser is started with it, so it is good for once.
 * Browsers send a cookie to all ports of a host, those of other users too, but only below its path: so the page is at a
 * path that only this browser knows. It opens the page until the service ends, and nothing else.
 */
export function createPageAccess(): PageAccess {
  const session = secret();
  const place = secret();
  let key = secret();
  return {
    get key() {
      return key;
    },
    welcome(c) {
      const { key: given = '', ...query } = c.req.query();
      // Programs that show a preview of a link ask with HEAD, and would use it up.
      if (c.req.method !== 'GET' || !isSame(given, key)) return undefined;
      key = secret();
      const path = `/page/${place}`;
      c.header('Set-Cookie', `vals=${session}; Path=${path}; HttpOnly; SameSite=Lax`);
      return c.redirect(`${path}?${new URLSearchParams(query)}`, 303);
    },
    isGuest: (c) =>
      isSame(c.req.param('place') ?? '', place) &&
      cookies(c.req.header('cookie'), 'vals').some((value) => isSame(value, session)),
    hide: (path) => path.replaceAll(place, '***'),
  };
}

const secret = (): string => randomBytes(32).toString('base64url');
