import { randomBytes } from 'node:crypto';
import { cookieValues, isSame } from '../guard.ts';
import { type Answer, redirect, type ServiceRequest } from '../request.ts';

export interface PageAccess {
  readonly key: string;
  makeOneTimeKey(): string;
  admit(request: ServiceRequest): Answer | undefined;
  isAdmitted(request: ServiceRequest, pathSecret: string): boolean;
  hideSecret(path: string): string;
}

const mostUnusedKeys = 100;

export function createPageAccess(): PageAccess {
  const session = secret();
  const pathSecret = secret();
  const made = new Set<string>();
  let key = secret();
  // Other users of the machine can see the link in the list of processes when `vals open` starts a browser. So the key
  // in the link works only once.
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
      // Programs that preview a link send HEAD before the visit, and must not use up the key.
      if (method !== 'GET' || !useUp(given)) return undefined;
      // A browser sends a cookie to all ports of a host, and a server of another user may listen on one of them. But the
      // browser sends the cookie only to paths below the path of the cookie, so the path is a secret too.
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
