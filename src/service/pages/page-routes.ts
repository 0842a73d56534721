import { nothingAt } from '../admit.ts';
import { unauthorized } from '../problem.ts';
import { json, redirect, type ServiceReply, type ServiceRequest, spacePrefix } from '../request.ts';
import { parseVersion } from '../routes/checks.ts';
import { type Route, route } from '../routes/route.ts';
import { ref } from '../routes/schemas.ts';
import type { Caller } from '../store/caller.ts';
import type { Store } from '../store/open-store.ts';
import { addSignInLink } from '../store/sign-in-links.ts';
import { visibleVal } from '../store/vals.ts';
import { visibleVersion } from '../store/versions.ts';
import { homeData, runData, runsData, searchData, valData, versionData } from './page-data.ts';
import * as check from './page-queries.ts';
import { valAddress } from './parts.ts';
import { viewOf, visitorOf } from './visitor.ts';

/** The pages are loaded with the first of them, so that they cost the API nothing. */
const loadViews = () => import('./views.ts');

function visitorsCaller({ identified, caller, url }: ServiceRequest): Caller {
  if (!identified) throw unauthorized('This page needs a sign-in in a browser, or a token.');
  if (!caller) throw nothingAt(url);
  return caller;
}

const page = { access: 'page', responses: { 200: 'text/html' } } as const;
const raw = { access: 'page', responses: { 200: 'text/plain' } } as const;

/** Longer than other functions, because it is a table: one entry for each route. */
export function pageRoutes(store: Store): Route[] {
  const { db } = store;
  const view = async (request: ServiceRequest) => viewOf(request, await visitorOf(request, store));

  return [
    route('GET', '/', {
      ...page,
      summary: 'The vals as a web page, newest change first',
      query: check.homeQuery,
      async reply(request, { query }) {
        const caller = visitorsCaller(request);
        const { homePage } = await loadViews();
        return homePage(await view(request), await homeData(db, caller, query.after));
      },
    }),
    route('GET', '/search', {
      ...page,
      summary: 'Vals whose name or code contains the text, as a web page',
      query: check.searchQuery,
      async reply(request, { query: { q: text = '', after } }) {
        const caller = visitorsCaller(request);
        if (text === '') return redirect(`${spacePrefix(request.space)}/`);
        const { searchPage } = await loadViews();
        return searchPage(await view(request), await searchData(db, caller, { text, after }));
      },
    }),
    route('GET', '/vals/:id', {
      ...page,
      summary: 'A val as a web page',
      query: check.valQuery,
      async reply(request, { params, query }) {
        const shown = await valData(db, request, params.id, query.versions);
        const { valPage } = await loadViews();
        return valPage(await view(request), shown);
      },
    }),
    route('GET', '/vals/:id/versions/:version', {
      ...page,
      summary: 'What a version changed, as a web page',
      query: check.versionQuery,
      async reply(request, { params, query: { from } }) {
        const shown = await versionData(db, request, params.id, {
          version: parseVersion(params.version),
          from,
        });
        const { versionPage } = await loadViews();
        return versionPage(await view(request), shown);
      },
    }),
    route('GET', '/vals/:id/raw', {
      ...raw,
      summary: 'The code of a val, as plain text',
      reply: async ({ caller }, { params }) => text((await visibleVal(db, caller, params.id)).code),
    }),
    route('GET', '/vals/:id/versions/:version/raw', {
      ...raw,
      summary: 'The code of a version, as plain text',
      reply: async ({ caller }, { params: { id, version } }) =>
        text((await visibleVersion(db, caller, id, parseVersion(version))).code),
    }),
    route('GET', '/runs', {
      ...page,
      summary: 'Runs as a web page',
      query: check.runsQuery,
      async reply(request, { query }) {
        const caller = visitorsCaller(request);
        const { runsPage } = await loadViews();
        return runsPage(await view(request), await runsData(db, caller, query));
      },
    }),
    route('GET', '/runs/:id', {
      ...page,
      summary: 'A run as a web page',
      async reply(request, { params }) {
        const caller = visitorsCaller(request);
        const { runPage } = await loadViews();
        return runPage(await view(request), await runData(db, caller, params.id));
      },
    }),
    route('GET', '/v1/me/page-link', {
      summary: 'A link that signs a browser in, for one visit',
      query: check.pageLinkQuery,
      responses: { 200: ref('PageLink') },
      async reply(request, { query: { val } }) {
        const caller = visitorsCaller(request);
        const base = spacePrefix(request.space);
        const link = new URL('/sign-in', request.origin);
        link.searchParams.set('next', val === undefined ? `${base}/` : valAddress(base, val));
        link.searchParams.set('key', await addSignInLink(db, caller.token));
        return json({ url: link.href });
      },
    }),
  ];
}

/** Plain text cannot run in a browser, whatever the code is. */
const text = (code: string): ServiceReply => ({
  status: 200,
  headers: {
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Security-Policy': "default-src 'none'; sandbox",
  },
  body: code,
});
