import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSlots } from '../../core/lib/waiting.ts';
import { accessOf } from '../admit.ts';
import { flag, oneOfSchema, record, textSchema } from '../json-schema.ts';
import { json, redirect, type ServiceReply, type ServiceRequest, spacePrefix } from '../request.ts';
import { parseVersion, positionIn, searchText, version } from '../routes/inputs.ts';
import { type Route, route } from '../routes/route.ts';
import { ref } from '../schemas.ts';
import type { Store } from '../store/open-store.ts';
import { changePositions, numberPositions, timePositions } from '../store/positions.ts';
import { openSession } from '../store/sessions.ts';
import { visibleVal } from '../store/vals.ts';
import { visibleVersion } from '../store/versions.ts';
import { valAddress } from './parts.ts';
import { type Visit, viewOf } from './visitor.ts';

const page = { admits: 'page', responses: { 200: 'text/html' } } as const;
const raw = { admits: 'page', responses: { 200: 'text/plain' } } as const;

/** Longer than other functions, because it is a table: one entry for each route. */
export function pageRoutes({ db }: Pick<Store, 'db'>): Route[] {
  const turns = createSlots(1);
  const inTurn: Visit['inTurn'] = (work) =>
    turns.run(async () => {
      await nextTurn();
      return work();
    });

  /** The pages are loaded with the first of them, so that they cost the API nothing. */
  const show = async (
    request: ServiceRequest,
    page: (pages: typeof import('./views.ts'), visit: Visit) => Promise<ServiceReply>,
  ) => page(await import('./views.ts'), { db, request, view: viewOf(request), inTurn });

  return [
    route('GET', '/', {
      ...page,
      summary: 'The vals as a web page, newest change first',
      query: record({}, { after: textSchema }),
      reply: (request, { query }) =>
        show(request, (pages, visit) => pages.homePage(visit, positionIn(changePositions, query.after))),
    }),
    route('GET', '/search', {
      ...page,
      responses: { ...page.responses, 303: 'nothing' },
      summary: 'Vals whose name or code contains the text, as a web page',
      query: record({}, { q: searchText, after: textSchema }),
      async reply(request, { query: { q = '', ...query } }) {
        const after = positionIn(numberPositions, query.after);
        const access = accessOf(request);
        if (q === '') return redirect(`${spacePrefix(request.space)}/`);
        return show(request, (pages, visit) => pages.searchPage(visit, access, { text: q, after }));
      },
    }),
    route('GET', '/vals/:id', {
      ...page,
      summary: 'A val as a web page',
      query: record({}, { versions: textSchema }),
      reply: (request, { params, query }) =>
        show(request, (pages, visit) =>
          pages.valPage(visit, params.id, positionIn(numberPositions, query.versions, 'versions')),
        ),
    }),
    route('GET', '/vals/:id/versions/:version', {
      ...page,
      summary: 'What a version changed, as a web page',
      query: record({}, { from: version }),
      reply: (request, { params, query: { from } }) =>
        show(request, (pages, visit) =>
          pages.versionPage(visit, params.id, { version: parseVersion(params.version), from }),
        ),
    }),
    route('GET', '/vals/:id/raw', {
      ...raw,
      summary: 'The code of a val, as plain text',
      reply: async ({ access }, { params }) => plainText((await visibleVal(db, access, params.id)).code),
    }),
    route('GET', '/vals/:id/versions/:version/raw', {
      ...raw,
      summary: 'The code of a version, as plain text',
      reply: async ({ access }, { params: { id, version } }) =>
        plainText((await visibleVersion(db, access, id, parseVersion(version))).code),
    }),
    route('GET', '/runs', {
      ...page,
      summary: 'Runs as a web page',
      query: record(
        {},
        {
          val: textSchema,
          error: flag,
          last: oneOfSchema(['hour', 'day', 'week'] as const),
          after: textSchema,
        },
      ),
      reply: (request, { query }) =>
        show(request, (pages, visit) =>
          pages.runsPage(visit, { ...query, after: positionIn(timePositions, query.after) }),
        ),
    }),
    route('GET', '/runs/:id', {
      ...page,
      summary: 'A run as a web page',
      reply: (request, { params }) => show(request, (pages, visit) => pages.runPage(visit, params.id)),
    }),
    route('GET', '/v1/me/page-link', {
      summary: 'A link that signs a browser in, for one visit',
      query: record({}, { val: textSchema }),
      responses: { 200: ref('PageLink') },
      async reply(request, { query: { val } }) {
        const { token } = accessOf(request);
        const base = spacePrefix(request.space);
        const link = new URL('/sign-in', request.origin);
        link.searchParams.set('next', val === undefined ? `${base}/` : valAddress(base, val));
        link.searchParams.set('key', await openSession(db, token.id, { once: true }));
        return json({ url: link.href });
      },
    }),
  ];
}

/** Plain text cannot run in a browser, whatever the code is. */
const plainText = (code: string): ServiceReply => ({
  status: 200,
  headers: {
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Security-Policy': "default-src 'none'; sandbox",
  },
  body: code,
});
