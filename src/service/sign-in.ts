// The page's sign-in where the service has a public URL: a form takes the token once, and a cookie stands for it for some hours.
import { createHmac } from 'node:crypto';
import type { Context } from 'hono';
import { cookies, type Env, isSame, readBytes } from './guard.ts';
import { callerOf, type Network } from './network.ts';
import { formHeaders, signInPage } from './page.ts';
import { Problem } from './problem.ts';
import { createRateLimit } from './rate-limit.ts';
import type { Store } from './store.ts';
import { digestOf } from './token.ts';
import type { User } from './users.ts';

export interface SignIn {
  /** Who the browser was signed in as, for the page alone: the API takes tokens. */
  visitor(c: Context<Env>): Promise<User | undefined>;
  ask(c: Context<Env>): Response;
  signIn(c: Context<Env>): Promise<Response>;
  signOut(c: Context<Env>): Response;
}

const lifetimeSeconds = 12 * 60 * 60;
const largestForm = 4_096;
/** Ten at once, then ten a minute. */
const tries = { burst: 10, perSecond: 1 / 6, inFlight: 10 };
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/**
 * A session is the person, its end and a code that only those can make who know the digest of the person's token. So every
 * process that serves the database knows it, none has to keep it, and it ends with the token.
 */
export function createSignIn(store: Store, publicUrl: URL, { proxies }: Network): SignIn {
  const isSecure = publicUrl.protocol === 'https:';
  // Browsers take a cookie with this beginning from this very host alone, not from a neighbour below the same domain.
  const name = isSecure ? '__Host-vals' : 'vals';
  // Lax, so that a link in a chat opens the page: a visit only reads, and the forms look at Origin.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const limit = createRateLimit(tries, () => performance.now());

  const refuseOthers = (c: Context<Env>) => {
    if (c.req.header('origin') !== publicUrl.origin) {
      throw new Problem(403, 'This takes forms from its own page alone.');
    }
  };
  const again = (c: Context<Env>, status: 401 | 429, problem?: string) =>
    c.html(signInPage(actionOf(c), problem), status, {
      ...formHeaders,
      ...(status === 429 && { 'Retry-After': '6' }),
    });

  return {
    async visitor(c) {
      // Only the first that could be one is looked up: a header can hold hundreds, and a browser sends one.
      const [session] = cookies(c.req.header('cookie'), name)
        .map((value) => value.split('.'))
        .filter(([, end = '']) => /^\d{1,12}$/.test(end) && Number(end) * 1_000 > Date.now());
      const [id = '', end = '', code = ''] = session ?? [];
      const found = await store.userWithDigest(id);
      return found && isSame(code, codeOf(id, found.tokenDigest, end)) ? found.user : undefined;
    },
    ask: (c) => again(c, 401),
    async signIn(c) {
      refuseOthers(c);
      const leave = limit.enter(callerOf(c.env.incoming, proxies));
      if (leave === undefined) return again(c, 429, 'There were too many tries. Wait some seconds.');
      try {
        const token = await readToken(c);
        const user = await store.userWithToken(token);
        if (user === undefined) return again(c, 401, 'This is not a token of this service.');
        const end = `${Math.floor(Date.now() / 1_000) + lifetimeSeconds}`;
        const session = [user.id, end, codeOf(user.id, digestOf(token), end)].join('.');
        c.header('Set-Cookie', `${name}=${session}; Max-Age=${lifetimeSeconds}; ${attributes}`);
        return c.redirect(`/${queryOf(c)}`, 303);
      } finally {
        leave();
      }
    },
    signOut(c) {
      refuseOthers(c);
      c.header('Set-Cookie', `${name}=; Max-Age=0; ${attributes}`);
      return c.redirect('/', 303);
    },
  };
}

const codeOf = (id: string, tokenDigest: string, end: string): string =>
  createHmac('sha256', tokenDigest).update(`vals page ${id} ${end}`).digest('base64url');

async function readToken(c: Context<Env>): Promise<string> {
  if (!formType.test(c.req.header('content-type') ?? '')) throw new Problem(415, 'This takes a form.');
  const bytes = await readBytes(c.env.incoming, largestForm);
  return new URLSearchParams(bytes.toString()).get('token')?.trim() ?? '';
}

const actionOf = (c: Context<Env>): string => `/sign-in${queryOf(c)}`;

/** Of the page that was asked for, so that the sign-in leads to it. */
const queryOf = (c: Context<Env>): string => new URL(c.req.url).search;
