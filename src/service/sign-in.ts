// The sign-in of a team's page: a form takes the token once, and a cookie replaces it for some hours.
import { createHmac } from 'node:crypto';
import { cookies, isSame, readBytes } from './guard.ts';
import { callerOf, type Network } from './network.ts';
import { formHeaders, signInPage } from './page.ts';
import { Problem } from './problem.ts';
import { createRateLimit } from './rate-limit.ts';
import { type Answer, headerOf, html, redirect, type ServiceRequest, spacePrefix } from './request.ts';
import type { Store } from './store.ts';
import { digestOf, type User } from './users.ts';

export interface SignIn {
  /** The person that the browser is signed in as. Valid for the page only; the API needs a token. */
  visitor(request: ServiceRequest): Promise<User | undefined>;
  ask(request: ServiceRequest): Answer;
  signIn(request: ServiceRequest): Promise<Answer>;
  signOut(request: ServiceRequest): Answer;
}

const lifetimeSeconds = 12 * 60 * 60;
const largestForm = 4_096;
/** Ten at once, then ten a minute. */
const tries = { burst: 10, perSecond: 1 / 6, inFlight: 10 };
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/**
 * A session is a person's id, its end, and a code (HMAC) made with the digest of the person's token. So every process on
 * the database can check it, none has to store it, and it ends with the token.
 */
export function createSignIn(store: Store, publicUrl: URL, { proxies }: Network): SignIn {
  const isSecure = publicUrl.protocol === 'https:';
  // Browsers accept a cookie with this prefix from this host only, not from another host of the same domain.
  const name = isSecure ? '__Host-vals' : 'vals';
  // Lax, so that a link in a chat opens the page. A visit only reads, and the forms check Origin.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const limit = createRateLimit(tries, () => performance.now());

  const refuseOthers = (request: ServiceRequest) => {
    if (headerOf(request, 'origin') !== publicUrl.origin) {
      throw new Problem(403, "Only the service's own page may send this form.");
    }
  };
  const again = ({ url, space }: ServiceRequest, status: 401 | 429, problem?: string) =>
    html(signInPage(`${spacePrefix(space)}/sign-in${url.search}`, problem), status, {
      ...formHeaders,
      ...(status === 429 && { 'Retry-After': '6' }),
    });

  return {
    async visitor(request) {
      // Looks up only the first valid-looking one: a header can have hundreds, and a browser sends one.
      const [session] = cookies(request, name)
        .map((value) => value.split('.'))
        .filter(([, end = '']) => /^\d{1,12}$/.test(end) && Number(end) * 1_000 > Date.now());
      const [id = '', end = '', code = ''] = session ?? [];
      const found = await store.users.withDigest(id);
      return found && isSame(code, codeOf(id, found.tokenDigest, end)) ? found.user : undefined;
    },
    ask: (request) => again(request, 401),
    async signIn(request) {
      refuseOthers(request);
      const leave = limit.enter(callerOf(request.incoming, proxies));
      if (leave === undefined) return again(request, 429, 'There were too many attempts. Wait some seconds.');
      try {
        const token = await readToken(request);
        const user = await store.users.withToken(token);
        if (user === undefined) return again(request, 401, 'This service does not know the token.');
        const end = `${Math.floor(Date.now() / 1_000) + lifetimeSeconds}`;
        const session = [user.id, end, codeOf(user.id, digestOf(token), end)].join('.');
        // Back to the requested page.
        return redirect(`${spacePrefix(request.space)}/${request.url.search}`, {
          'Set-Cookie': `${name}=${session}; Max-Age=${lifetimeSeconds}; ${attributes}`,
        });
      } finally {
        leave();
      }
    },
    signOut(request) {
      refuseOthers(request);
      return redirect('/', { 'Set-Cookie': `${name}=; Max-Age=0; ${attributes}` });
    },
  };
}

const codeOf = (id: string, tokenDigest: string, end: string): string =>
  createHmac('sha256', tokenDigest).update(`vals page ${id} ${end}`).digest('base64url');

async function readToken(request: ServiceRequest): Promise<string> {
  if (!formType.test(headerOf(request, 'content-type') ?? ''))
    throw new Problem(415, 'The body must be application/x-www-form-urlencoded.');
  const bytes = await readBytes(request, largestForm);
  return new URLSearchParams(bytes.toString()).get('token')?.trim() ?? '';
}
