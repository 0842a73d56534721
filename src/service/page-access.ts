// Access to the owner's page: a link that is good for one visit, then a cookie.
import { randomBytes } from 'node:crypto';
import { cookies, isSame } from './guard.ts';
import { type Answer, redirect, type ServiceRequest } from './request.ts';

export interface PageAccess {
  /** The key of the link that the terminal shows. Good for one visit; the next visit needs a new one. */
  readonly key: string;
  /** Another key that is good for one visit, for the holder of the token. */
  makeKey(): string;
  /** If the request has the key: uses it up, sets the cookie, and redirects to the page. */
  welcome(request: ServiceRequest): Answer | undefined;
  /** Whether the request comes from a browser that was welcomed. */
  isGuest(request: ServiceRequest, place: string): boolean;
  /** Removes the secret from a path, for the log. */
  hide(path: string): string;
}

/** The newest of those that nobody used. */
const mostKeys = 100;

/**
 * Other users can see a link in the list of processes when a browser is started with it, so it works once. Browsers send
 * a cookie to all ports of a host, also to servers of other users, but only below its path. So the page is at a secret
 * path. The cookie opens the page until the service ends, and nothing else.
 */
export function createPageAccess(): PageAccess {
  const session = secret();
  const place = secret();
  const made = new Set<string>();
  let key = secret();
  const useUp = (given: string): boolean => {
    if (isSame(given, key)) key = secret();
    else {
      const found = [...made].find((other) => isSame(given, other));
      if (found === undefined) return false;
      made.delete(found);
    }
    return true;
  };
  return {
    get key() {
      return key;
    },
    makeKey() {
      const [oldest = ''] = made;
      if (made.size >= mostKeys) made.delete(oldest);
      const another = secret();
      made.add(another);
      return another;
    },
    welcome({ method, url }) {
      const query = new URLSearchParams(url.search);
      const given = query.get('key') ?? '';
      query.delete('key');
      // Programs that show a preview of a link send HEAD, and must not use the key up.
      if (method !== 'GET' || !useUp(given)) return undefined;
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
