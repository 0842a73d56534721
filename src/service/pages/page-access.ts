// Controls access to the page of the owner. A link works for one visit and sets a cookie. The cookie works for all
// further visits.
import { randomBytes } from 'node:crypto';
import { cookieValues, isSame } from '../guard.ts';
import { type Answer, redirect, type ServiceRequest } from '../request.ts';

export interface PageAccess {
  /** The key in the link that the terminal shows. The key works for one visit. Then a new key replaces it. */
  readonly key: string;
  makeOneTimeKey(): string;
  /**
   * If the request has a valid key, makes the key invalid, and returns a redirect to the page. The redirect sets the
   * cookie. If the key is not valid, returns undefined.
   */
  admit(request: ServiceRequest): Answer | undefined;
  /** Returns true if the request has the cookie, and if `pathSecret`, a part of the path of the request, is right. */
  isAdmitted(request: ServiceRequest, pathSecret: string): boolean;
  hideSecret(path: string): string;
}

const mostUnusedKeys = 100;

/**
 * When `vals open` starts a browser, other users of the machine can see the link in the list of processes. So a link
 * works only once. A browser sends a cookie to all ports of a host, and a server of another user may listen on one of
 * these ports. But the browser sends the cookie only to paths that begin with the path of the cookie. So the path of
 * the page contains a secret. The cookie is valid until the service ends.
 */
export function createPageAccess(): PageAccess {
  const session = secret();
  const pathSecret = secret();
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
    makeOneTimeKey() {
      const [oldest = ''] = made;
      if (made.size >= mostUnusedKeys) made.delete(oldest);
      const another = secret();
      made.add(another);
      return another;
    },
    admit({ method, url }) {
      const query = new URLSearchParams(url.search);
      const given = query.get('key') ?? '';
      query.delete('key');
      // Only a GET request may use up the key. Programs that show a preview of a link send a HEAD request before the
      // visit.
      if (method !== 'GET' || !useUp(given)) return undefined;
      const path = `/page/${pathSecret}`;
      const cookie = `vals=${session}; Path=${path}; HttpOnly; SameSite=Lax`;
      return redirect(`${path}?${query}`, { 'Set-Cookie': cookie });
    },
    isAdmitted: (request, given) =>
      isSame(given, pathSecret) && cookieValues(request, 'vals').some((value) => isSame(value, session)),
    hideSecret: (path) => path.replaceAll(pathSecret, '***'),
  };
}

const secret = (): string => randomBytes(32).toString('base64url');
