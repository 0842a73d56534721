import { randomBytes } from 'node:crypto';
import { type Reply, redirect, type ServiceRequest } from '../request.ts';
import { cookieValues, isSame } from './cookies.ts';

export interface PageAccess {
  readonly key: string;
  endSessionsOfOldToken(currentDigest: string): void;
  makeOneTimeKey(): string;
  admit(request: ServiceRequest): Reply | undefined;
  isAdmitted(request: ServiceRequest, pathSecret: string): boolean;
  hideSecret(path: string): string;
}

const mostUnusedKeys = 100;

export function createPageAccess(): PageAccess {
  let session = secret();
  let tokenDigest = '';
  const pathSecret = secret();
  const made = new Set<string>();
  let key = secret();
  // A key works only once, because other users of the machine may see the key. `vals open` starts a browser, and the
  // list of processes shows the link with the key.
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
    endSessionsOfOldToken(currentDigest) {
      if (currentDigest === tokenDigest) return;
      tokenDigest = currentDigest;
      session = secret();
      made.clear();
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
      // Only a GET uses up the key, because programs that preview a link send HEAD before the visit.
      if (method !== 'GET' || !useUp(given)) return undefined;
      // Browsers send a cookie to all ports of a host. Servers of other users on this host do not know the
      // secret path, so they do not get the cookie.
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
