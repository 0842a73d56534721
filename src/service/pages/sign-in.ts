import { createHmac } from 'node:crypto';
import { readBytes } from '../body.ts';
import type { Network } from '../http/network.ts';
import { largestForm } from '../limits.ts';
import { Problem } from '../problem.ts';
import { headerOf, html, type Reply, redirect, type ServiceRequest, spacePrefix } from '../request.ts';
import type { Store } from '../store/store.ts';
import type { Identified } from '../store/tokens.ts';
import { cookieValues, isSame } from './cookies.ts';
import { pageHeaders, signInPage } from './html-page.ts';

const lifetimeSeconds = 12 * 60 * 60;
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;

export function createSignIn(store: Store, { publicUrl }: Network) {
  const isSecure = publicUrl?.protocol === 'https:';
  // Because of the prefix `__Host-`, other hosts of the same domain cannot set the cookie.
  const name = isSecure ? '__Host-vals' : 'vals';
  // SameSite=Strict is not needed, because GET changes nothing, and `requireOwnOrigin` checks each form.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

  const requireOwnOrigin = (request: ServiceRequest) => {
    const { origin } = request;
    if (headerOf(request, 'origin') !== origin) {
      throw new Problem(403, `The service accepts forms only from its own page. Open ${origin}.`);
    }
  };
  const tokenForm = ({ url, space }: ServiceRequest, problem?: string) =>
    html(signInPage(`${spacePrefix(space)}/sign-in${url.search}`, problem), 401, pageHeaders);

  return {
    async visitor(request: ServiceRequest): Promise<Identified | undefined> {
      const [session = ''] = cookieValues(request, name);
      const [id = '', end = '', code = ''] = session.split('.');
      if (!/^\d{1,12}$/.test(end) || Number(end) * 1_000 < Date.now()) return undefined;
      const found = await store.identify({ tokenId: id }, request.space);
      return found && isSame(code, hmacOf(id, found.token.digest, end)) ? found : undefined;
    },
    ask: (request: ServiceRequest): Reply => tokenForm(request),
    async signIn(request: ServiceRequest): Promise<Reply> {
      requireOwnOrigin(request);
      const token = await readToken(request);
      const found = await store.identify({ secret: token }, request.space);
      if (found === undefined) return tokenForm(request, 'This service does not know the token.');
      const end = `${Math.floor(Date.now() / 1_000) + lifetimeSeconds}`;
      const { id, digest } = found.token;
      const session = [id, end, hmacOf(id, digest, end)].join('.');
      return redirect(`${spacePrefix(request.space)}/${request.url.search}`, {
        'Set-Cookie': `${name}=${session}; Max-Age=${lifetimeSeconds}; ${attributes}`,
      });
    },
    signOut(request: ServiceRequest): Reply {
      requireOwnOrigin(request);
      return redirect('/', { 'Set-Cookie': `${name}=; Max-Age=0; ${attributes}` });
    },
  };
}

/** A session refers to its token, and ends with it. */
const hmacOf = (id: string, tokenDigest: string, end: string): string =>
  createHmac('sha256', tokenDigest).update(`vals page ${id} ${end}`).digest('base64url');

async function readToken(request: ServiceRequest): Promise<string> {
  if (!formType.test(headerOf(request, 'content-type') ?? ''))
    throw new Problem(415, 'The request body must be a form: application/x-www-form-urlencoded.');
  const bytes = await readBytes(request, largestForm);
  return new URLSearchParams(bytes.toString()).get('token')?.trim() ?? '';
}
