import { nothingAt } from '../guard.ts';
import type { Network } from '../http/network.ts';
import { unauthorized } from '../problem.ts';
import { html, isForBrowser, json, type Reply, type ServiceRequest } from '../request.ts';
import { type PageRequest, pageRequest } from '../routes/checks.ts';
import { type Route, route } from '../routes/route.ts';
import { ref } from '../routes/schemas.ts';
import { asPerson, type Principal } from '../store/spaces.ts';
import type { Store } from '../store/store.ts';
import { listPage, pageHeaders, refusalPage } from './html-page.ts';
import type { PageAccess } from './page-access.ts';
import { createSignIn } from './sign-in.ts';
import { mostCountedRuns, valPage, valPageLimits } from './val-page.ts';

const valsPerPage = 50;

interface PageOptions {
  network: Network;
  pageAccess: PageAccess;
  onRefusedVisit?(): void;
}

export function pageRoutes(store: Store, { network, pageAccess, onRefusedVisit }: PageOptions): Route[] {
  // The links are for the owner of the embedded service. Other people need a sign-in.
  const hasLinks = store.owner !== undefined && network.publicUrl === undefined;
  const signIn = hasLinks ? undefined : createSignIn(store, network);

  const refuseVisit = (request: ServiceRequest): Reply => {
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

  async function ownerWithLink(request: ServiceRequest, place: string): Promise<Principal | undefined> {
    const isAdmitted = (await linkAccess()).isAdmitted(request, place);
    return store.owner && isAdmitted ? asPerson(store.owner.user) : undefined;
  }

  async function readVal(user: Principal, id: string, { version, from, run }: PageRequest) {
    const val = await (version === undefined ? store.val(user, id) : store.version(user, id, version));
    const isOwn = val.author.id === user.id;
    const runs = isOwn ? (await store.runs(user, id, { limit: valPageLimits.runs })).records : [];
    return {
      val,
      runs: runs.map(({ json }) => JSON.parse(json)),
      runCount: isOwn ? await store.countRuns(user, id, mostCountedRuns + 1) : 0,
      shownRun: run === undefined ? undefined : { id: run, ...(await store.run(user, run)) },
      versions: (await store.versions(user, id, { limit: valPageLimits.versions })).items,
      comparedWith: from === undefined ? undefined : await store.version(user, id, from),
    };
  }

  async function readList(user: Principal, page: number) {
    const range = { limit: valsPerPage, offset: (page - 1) * valsPerPage };
    const { items: vals, next } = await store.listVals(user, user, range);
    return { vals, failed: await store.valsThatFailed(vals), next: next && page + 1 };
  }

  async function show(
    request: ServiceRequest,
    query: PageRequest,
    { user, canSignOut }: { user: Principal | undefined; canSignOut: boolean },
  ) {
    if (!user) return refuseVisit(request);
    const spaces = signIn ? await store.spaces.withMember(user.actor) : [];
    const common = { now: Date.now(), visitor: { user, spaces, canSignOut } };
    const page =
      query.val === undefined
        ? listPage({ ...(await readList(user, query.page)), number: query.page, ...common })
        : valPage({ ...(await readVal(user, query.val, query)), ...common });
    return html(page, 200, pageHeaders);
  }

  return [
    ...(signIn
      ? [
          route('POST', '/sign-in', {
            id: 'signIn',
            access: 'form',
            summary: 'Sign a browser in',
            responses: { 303: 'nothing' },
            reply: signIn.signIn,
          }),
          route('POST', '/sign-out', {
            id: 'signOut',
            access: 'form',
            summary: 'Sign a browser out',
            responses: { 303: 'nothing' },
            reply: signIn.signOut,
          }),
        ]
      : []),
    route('GET', '/', {
      id: 'getPage',
      access: 'anyone',
      summary: 'The vals as a web page',
      query: pageRequest,
      responses: { 200: 'text/html' },
      async reply(request, { query }) {
        if (request.user) return show(request, query, { user: request.user, canSignOut: false });
        if (!signIn && request.space === undefined) {
          return (await linkAccess()).admit(request) ?? refuseVisit(request);
        }
        return show(request, query, { user: await visitorOf(request), canSignOut: true });
      },
    }),
    route('GET', '/v1/me/page-link', {
      id: 'createPageLink',
      summary: 'A link that opens the web page once',
      query: pageRequest,
      responses: { 200: ref('PageLink') },
      async reply(request) {
        if (signIn || request.user?.id !== store.owner?.user.id) throw nothingAt(request.url);
        const link = new URL(`/${request.url.search}`, request.origin);
        const access = await linkAccess();
        link.searchParams.set('key', access.makeOneTimeKey());
        return json({ url: link.href });
      },
    }),
    route('GET', '/page/:place', {
      id: 'getOwnerPage',
      access: 'anyone',
      summary: 'The vals as a web page, for a browser that has opened a link',
      query: pageRequest,
      responses: { 200: 'text/html' },
      reply: async (request, { params, query }) =>
        show(request, query, { user: await ownerWithLink(request, params.place), canSignOut: false }),
    }),
  ];
}
