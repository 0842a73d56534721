import type { AppOptions } from '../app.ts';
import type { CallerSlots } from '../caller-slots.ts';
import { nothingAt } from '../guard.ts';
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

interface Visit {
  identify(): Promise<Principal | undefined>;
  canSignOut: boolean;
}

export function pageRoutes(
  store: Store,
  { network, pageAccess, onRefusedVisit }: AppOptions,
  readSlots: CallerSlots,
): Route[] {
  const signIn = network.publicUrl && createSignIn(store, network.publicUrl, network);
  const workQueue = createWorkQueue();

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

  async function callerOf(request: ServiceRequest): Promise<Principal | undefined> {
    await request.identifyAgain();
    return request.user;
  }

  async function ownerWithLink(request: ServiceRequest, place: string): Promise<Principal | undefined> {
    const isAdmitted = (await linkAccess()).isAdmitted(request, place);
    return store.owner && isAdmitted ? asPerson(store.owner.user) : undefined;
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

  async function show(request: ServiceRequest, query: PageRequest, { identify, canSignOut }: Visit) {
    const first = await identify();
    if (!first) return refuseVisit(request);
    const { id } = first.actor;
    const visit = await readSlots(id).run(async () => {
      // A page that must be refused is refused before its content is read, because the content may have megabytes.
      if (query.val !== undefined) workQueue.expectRoom(id);
      // The visitor may have lost access while the request waited.
      const user = await identify();
      return user && { user, content: await readContent(user, query) };
    });
    if (!visit) return refuseVisit(request);
    const { user, content } = visit;
    const spaces = signIn ? await store.spaces.withMember(user.actor) : [];
    const common = { now: Date.now(), visitor: { user, spaces, canSignOut } };
    const page =
      'val' in content
        ? await workQueue.run(id, () => valPage({ ...content, ...common }))
        : listPage(content.vals, { number: query.page, next: content.next && query.page + 1, ...common });
    return html(page, 200, canSignOut ? formHeaders : pageHeaders);
  }

  async function readContent(user: Principal, query: PageRequest) {
    if (query.val !== undefined) return readVal(user, query.val, query);
    const range = { limit: valsPerPage, offset: (query.page - 1) * valsPerPage };
    return store.listVals(user, user, range);
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
        if (request.user)
          return show(request, query, { identify: () => callerOf(request), canSignOut: false });
        if (!signIn && request.space === undefined) {
          return (await linkAccess()).admit(request) ?? refuseVisit(request);
        }
        return show(request, query, { identify: () => visitorOf(request), canSignOut: true });
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
      answer: (request, { params, query }) =>
        show(request, query, { identify: () => ownerWithLink(request, params.place), canSignOut: false }),
    }),
  ];
}
