import { record, textSchema } from '../json-schema.ts';
import { type HttpProblem, noSuchToken } from '../problem.ts';
import { isBrowser, redirect, type ServiceReply, type ServiceRequest, splitSpace } from '../request.ts';
import { type Route, route } from '../routes/route.ts';
import { accessAt, type Identity } from '../store/access.ts';
import type { Store } from '../store/open-store.ts';
import { openSession, takeSession } from '../store/sessions.ts';
import { identify } from '../store/tokens.ts';
import { identifySession, nextPage, readForm, signOut, withCookie } from './session.ts';
import { firstPage, viewOf } from './visitor.ts';

const signInQuery = record({}, { next: textSchema, key: textSchema });

export function signInRoutes(store: Store): Route[] {
  return [
    route('GET', '/sign-in', {
      admits: 'page',
      summary: 'The form to sign in, or a sign-in by a link',
      query: signInQuery,
      responses: { 200: 'text/html', 303: 'nothing' },
      async reply(request, { query: { key, next: wanted } }) {
        const next = nextPage(request, wanted);
        // Programs that preview a link send HEAD before the visit, which must not use up the key.
        const isVisit = key !== undefined && request.method === 'GET';
        const session = isVisit ? await takeSession(store.db, key) : undefined;
        const identity = session === undefined ? undefined : await identify(store, 'session', session);
        if (session && identity) {
          request.identity = identity;
          return withCookie(request, session, reachablePage(identity, next));
        }
        if (request.identity) return redirect(next);
        return askForToken(request, next, key && 'This link was used before, or is older than five minutes.');
      },
    }),
    route('POST', '/sign-in', {
      admits: 'form',
      summary: 'Sign a browser in',
      query: signInQuery,
      form: record({ token: textSchema }),
      responses: { 303: 'nothing' },
      async reply(request, { query }) {
        const next = nextPage(request, query.next);
        const identity = await identify(store, 'token', await readForm(request));
        if (!identity) return askForToken(request, next, noSuchToken, 401);
        request.identity = identity;
        const session = await openSession(store.db, identity.token.id, { once: false });
        return withCookie(request, session, reachablePage(identity, next));
      },
    }),
    route('POST', '/sign-out', {
      admits: 'form',
      summary: 'Sign a browser out',
      responses: { 303: 'nothing' },
      async reply(request) {
        request.identity = await identifySession(request, store);
        return signOut(request, store);
      },
    }),
  ];
}

/** Another page than the wanted one, if the token is not good there. */
const reachablePage = (identity: Identity, next: string): string =>
  identity.token.spaceId === null || accessAt(identity, splitSpace(next).space) ? next : firstPage(identity);

/** Browsers write each page with a status from 400 on to their console. For other programs it is a refusal. */
async function askForToken(
  request: ServiceRequest,
  next: string,
  problem?: string,
  status = isBrowser(request) ? 200 : 401,
): Promise<ServiceReply> {
  const { signInPage } = await import('./views.ts');
  return signInPage(viewOf({ ...request, identity: undefined, access: undefined }), {
    next,
    problem,
    status,
  });
}

/** What somebody sees whose request failed. Without a session that is the sign-in, whether or not the page exists. */
export async function failurePage(
  failed: ServiceRequest,
  store: Store,
  problem: HttpProblem,
): Promise<ServiceReply> {
  const request = await withSession(failed, store);
  const { url, isApi, method, identity } = request;
  const isPage = (method === 'GET' || method === 'HEAD') && !isApi;
  const mayHelp = problem.status === 401 || problem.status === 404;
  if (!identity && isPage && mayHelp) return askForToken(request, `${url.pathname}${url.search}`);
  const { problemPage } = await import('./views.ts');
  return problemPage(viewOf(request), problem);
}

/** A request may fail before anybody asks who sent it, and because the database cannot say it. */
async function withSession(request: ServiceRequest, store: Store): Promise<ServiceRequest> {
  if (request.identity) return request;
  const identity = await identifySession(request, store).catch(() => undefined);
  return { ...request, identity, access: identity && accessAt(identity, request.space) };
}
