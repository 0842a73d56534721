// Access to the page of the owner: a link that works for one visit, then a cookie.
import { randomBytes } from 'node:crypto';
import { cookieValues, isSame } from '../guard.ts';
import { type Answer, redirect, type ServiceRequest } from '../request.ts';

export interface PageAccess {
  /** The key of the link in the terminal. It works for one visit, and is then replaced. */
  readonly key: string;
  makeOneTimeKey(): string;
  /** If the request has a valid key, uses up the key, sets the cookie, and redirects to the page. */
  admit(request: ServiceRequest): Answer | undefined;
  /** Whether an earlier visit gave the cookie to this browser. `pathSecret` is the secret in the path. */
  isAdmitted(request: ServiceRequest, pathSecret: string): boolean;
  hideSecret(path: string): string;
}

const mostUnusedKeys = 100;

/**
 * When `vals open` starts a browser, other users can see the link in the list of processes. So a link works only once.
 * Browsers send a cookie to all ports of a host, also to servers of other users, but only below the path of the cookie.
 * So the page has a secret in its path. The cookie is valid for this page, until the service ends.
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
      // Programs that show a preview of a link send HEAD, which must not use up the key.
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
