import type { AppOptions } from '../app.ts';
import { nothingAt } from '../guard.ts';
import type { CallerSlots } from '../http/caller-slots.ts';
import { unauthorized } from '../problem.ts';
import { type Answer, html, isForBrowser, json, type ServiceRequest } from '../request.ts';
import { type PageRequest, pageRequest } from '../routes/checks.ts';
import { type Route, route } from '../routes/route.ts';
import { ref } from '../routes/schemas.ts';
import { asPerson, type Principal } from '../store/spaces.ts';
import type { Store } from '../store/store.ts';
import { formHeaders, listPage, pageHeaders, refusalPage } from './page.ts';
import type { PageAccess } from './page-access.ts';
import { createSignIn } from './sign-in.ts';
import { mostCountedRuns, valPage, valPageLimits } from './val-page.ts';
import { createWorkQueue } from './work-queue.ts';

const valsPerPage = 50;

export function pageRoutes(
  store: Store,
  { network, pageAccess, onRefusedVisit }: AppOptions,
  readSlots: CallerSlots,
): Route[] {
  const signIn = network.publicUrl && createSignIn(store, network.publicUrl, network);
  const runInTurn = createWorkQueue();

  const refuseVisit = (request: ServiceRequest): Answer => {
    onRefusedVisit?.();
    const isBrowser = isForBrowser(request);
    if (request.space !== undefined && !(signIn && isBrowser)) throw nothingAt(request.url);
    if (isBrowser) return signIn ? signIn.ask(request) : html(refusalPage(), 401, pageHeaders);
    const other = signIn ? 'a sign-in' : 'the link that `vals serve` shows';
    throw unauthorized(`This page needs a token or, in a browser, ${other}.`);
  };

  async function linkAccess(): Promise<PageAccess> {
    const owner = store.owner && (await store.users.withDigest(store.owner.user.id));
    pageAccess.endSessionsOfOldToken(owner?.tokenDigest ?? '');
    return pageAccess;
  }

  async function visitorOf(request: ServiceRequest): Promise<Principal | undefined> {
    const person = await signIn?.visitor(request);
    if (!person || request.space === undefined) return person && asPerson(person);
    const member = await store.spaces.memberWithId(person.id, request.space);
    if (!member?.principal) throw nothingAt(request.url);
    return member.principal;
  }

  async function readVal(user: Principal, id: string, { version, from }: PageRequest) {
    const val = await (version === undefined ? store.val(user, id) : store.version(user, id, version));
    const isOwn = val.author.id === user.id;
    const runs = isOwn ? (await store.runs(user, id, { limit: valPageLimits.runs })).records : [];
    return {
      val,
      runs: runs.map(({ json }) => JSON.parse(json)),
      runCount: isOwn ? await store.countRuns(user, id, mostCountedRuns + 1) : 0,
      versions: (await store.versions(user, id, { limit: valPageLimits.versions })).versions,
      comparedWith: from === undefined ? undefined : await store.version(user, id, from),
    };
  }

  async function show(user: Principal, request: PageRequest, canSignOut = false) {
    const { val: id, page } = request;
    const now = Date.now();
    const spaces = signIn ? await store.spaces.withMember(user.actor) : [];
    const visitor = { user, spaces, canSignOut };
    const headers = canSignOut ? formHeaders : pageHeaders;
    const slots = readSlots(user.actor.id);
    if (id !== undefined) {
      const content = { ...(await slots.run(() => readVal(user, id, request))), now, visitor };
      return html(await runInTurn(user.actor.id, () => valPage(content)), 200, headers);
    }
    const range = { limit: valsPerPage, offset: (page - 1) * valsPerPage };
    const found = await slots.run(() => store.listVals(user, user, range));
    const next = found.next && page + 1;
    return html(listPage(found.vals, { number: page, next, now, visitor }), 200, headers);
  }

  return [
    ...(signIn
      ? [
          route('POST', '/sign-in', {
            access: 'form',
            summary: 'Sign a browser in',
            responses: { 303: 'nothing' },
            answer: signIn.signIn,
          }),
          route('POST', '/sign-out', {
            access: 'form',
            summary: 'Sign a browser out',
            responses: { 303: 'nothing' },
            answer: signIn.signOut,
          }),
        ]
      : []),
    route('GET', '/', {
      access: 'anyone',
      summary: 'The vals as a web page',
      query: pageRequest,
      responses: { 200: 'text/html' },
      async answer(request, { query }) {
        if (request.user) return show(request.user, query);
        if (!signIn && request.space === undefined) {
          return (await linkAccess()).admit(request) ?? refuseVisit(request);
        }
        const visitor = await visitorOf(request);
        return visitor ? show(visitor, query, true) : refuseVisit(request);
      },
    }),
    route('GET', '/v1/me/page-link', {
      summary: 'A link that opens the web page once',
      query: pageRequest,
      responses: { 200: ref('PageLink') },
      async answer(request) {
        if (signIn || request.user?.id !== store.owner?.user.id) throw nothingAt(request.url);
        const link = new URL(`/${request.url.search}`, request.origin);
        const access = await linkAccess();
        // Somebody may have replaced the token since the service identified the caller.
        await request.identifyAgain();
        link.searchParams.set('key', access.makeOneTimeKey());
        return json({ url: link.href });
      },
    }),
    route('GET', '/page/:place', {
      access: 'anyone',
      summary: 'The vals as a web page, for a browser that has opened a link',
      query: pageRequest,
      responses: { 200: 'text/html' },
      answer: async (request, { params, query }) =>
        store.owner && (await linkAccess()).isAdmitted(request, params.place)
          ? show(asPerson(store.owner.user), query)
          : refuseVisit(request),
    }),
  ];
}
