// Who may look at the page: the browser that came with the link of the moment, known from then on by its cookie.
import { randomBytes } from 'node:crypto';
import { cookies, isSame } from './guard.ts';
import { type Answer, redirect, type ServiceRequest } from './request.ts';

export interface PageAccess {
  /** Good for one visit; the next one has another. */
  readonly key: string;
  /** Uses the key up: gives the browser that has it the cookie, and sends it on to the page. */
  welcome(request: ServiceRequest): Answer | undefined;
  /** Whether a request for the page comes from a browser that was welcomed. */
  isGuest(request: ServiceRequest, place: string): boolean;
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
    welcome({ method, url }) {
      const query = new URLSearchParams(url.search);
      const given = query.get('key') ?? '';
      query.delete('key');
      // Programs that show a preview of a link ask with HEAD, and would use it up.
      if (method !== 'GET' || !isSame(given, key)) return undefined;
      key = secret();
      const path = `/page/${place}`;
      const cookie = `vals=${session}; Path=${path}; HttpOnly; SameSite=Lax`;
      return redirect(`${path}?${query}`, { 'Set-Cookie': cookie });
    },
    isGuest: (request, given) =>
      isSame(given, place) && cookies(request, 'vals').some((value) => isSame(value, session)),
    hide: (path) => path.replaceAll(place, '***'),
  };
}

const secret = (): string => randomBytes(32).toString('base64url');
