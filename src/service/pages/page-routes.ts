import { nothingAt } from '../admit.ts';
import type { Network } from '../http/network.ts';
import { unauthorized } from '../problem.ts';
import { html, isForBrowser, json, type Reply, type ServiceRequest } from '../request.ts';
import { type PageRequest, pageRequest } from '../routes/checks.ts';
import { type Route, route } from '../routes/route.ts';
import { ref } from '../routes/schemas.ts';
import type { Caller } from '../store/caller.ts';
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

  const identifyOwner = async () => store.owner && (await store.identify({ secret: store.owner.token }));

  async function linkAccess(): Promise<PageAccess> {
    pageAccess.endSessionsOfOldToken((await identifyOwner())?.token.digest ?? '');
    return pageAccess;
  }

  async function visitorOf(request: ServiceRequest): Promise<Caller | undefined> {
    const identified = await signIn?.visitor(request);
    if (identified && !identified.caller) throw nothingAt(request.url);
    return identified?.caller;
  }

  async function ownerWithLink(request: ServiceRequest, place: string): Promise<Caller | undefined> {
    const isAdmitted = (await linkAccess()).isAdmitted(request, place);
    return isAdmitted ? (await identifyOwner())?.caller : undefined;
  }

  async function readVal(caller: Caller, id: string, { version, from, run }: PageRequest) {
    const val = await (version === undefined ? store.val(caller, id) : store.version(caller, id, version));
    const isOwn = val.author.id === caller.owner.id;
    const runs = isOwn ? (await store.runs(caller, id, { limit: valPageLimits.runs })).records : [];
    return {
      val,
      runs: runs.map(({ json }) => JSON.parse(json)),
      runCount: isOwn ? await store.countRuns(caller, id, mostCountedRuns + 1) : 0,
      shownRun: run === undefined ? undefined : { id: run, ...(await store.run(caller, run)) },
      versions: (await store.versions(caller, id, { limit: valPageLimits.versions })).items,
      comparedWith: from === undefined ? undefined : await store.version(caller, id, from),
    };
  }

  async function readList(caller: Caller, page: number) {
    const range = { limit: valsPerPage, offset: (page - 1) * valsPerPage };
    const { items: vals, next } = await store.listVals(caller, caller.owner, range);
    return { vals, failed: await store.valsThatFailed(vals), next: next && page + 1 };
  }

  async function show(
    request: ServiceRequest,
    query: PageRequest,
    { caller, canSignOut }: { caller: Caller | undefined; canSignOut: boolean },
  ) {
    if (!caller) return refuseVisit(request);
    const spaces = signIn ? await store.spaces.withMember(caller.actor) : [];
    const common = { now: Date.now(), visitor: { caller, spaces, canSignOut } };
    const page =
      query.val === undefined
        ? listPage({ ...(await readList(caller, query.page)), number: query.page, ...common })
        : valPage({ ...(await readVal(caller, query.val, query)), ...common });
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
      access: 'page',
      summary: 'The vals as a web page',
      query: pageRequest,
      responses: { 200: 'text/html' },
      async reply(request, { query }) {
        if (request.caller) return show(request, query, { caller: request.caller, canSignOut: false });
        if (!signIn && request.space === undefined) {
          return (await linkAccess()).admit(request) ?? refuseVisit(request);
        }
        return show(request, query, { caller: await visitorOf(request), canSignOut: true });
      },
    }),
    route('GET', '/v1/me/page-link', {
      id: 'createPageLink',
      summary: 'A link that opens the web page once',
      query: pageRequest,
      responses: { 200: ref('PageLink') },
      async reply(request) {
        if (signIn || request.caller?.owner.id !== store.owner?.user.id) throw nothingAt(request.url);
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
        show(request, query, { caller: await ownerWithLink(request, params.place), canSignOut: false }),
    }),
  ];
}
