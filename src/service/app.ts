// The routes of the service, as a table.
import { type Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import * as check from './checks.ts';
import { isStoreFailure } from './database.ts';
import { type Env, identify, local, readable, signedInOnly, unauthorized } from './guard.ts';
import { listPage, pageHeaders, refusalPage, valPage } from './page.ts';
import type { PageAccess } from './page-access.ts';
import { answerError, Problem } from './problem.ts';
import type { RecordFilter, RecordKind, Store, Val } from './store.ts';

export interface AppOptions {
  visits: PageAccess;
  /** A browser came without the link. */
  onRefusedVisit?(): void;
  onStoreFailure?(error: Error): void;
}

export function createApp(store: Store, { visits, onRefusedVisit, onStoreFailure }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  const { json, query } = check;
  const records = (c: Context<Env>, kind: RecordKind, filter: RecordFilter = {}) => {
    const { records, more } = store.records(kind, filter);
    return list(c, records, neighbours(c.req.url, filter, more));
  };

  const refuseVisit = (c: Context<Env>) => {
    onRefusedVisit?.();
    if (c.req.header('accept')?.includes('text/html')) return c.html(refusalPage(), 401, pageHeaders);
    throw unauthorized('This needs the token, or in a browser the link that `vals serve` shows.');
  };

  app.onError((error, c) => {
    if (isStoreFailure(error)) onStoreFailure?.(error);
    return answerError(error, c);
  });
  app.notFound((c) => answerError(new Problem(404, `There is nothing at ${c.req.path}.`), c));
  app.use(local, readable, identify(store.token), methodNotAllowed({ app, onMethodNotAllowed }));

  app.get('/', query(check.shown), (c) =>
    c.get('signedIn') ? page(c, store, c.req.valid('query')) : (visits.welcome(c) ?? refuseVisit(c)),
  );
  app.get('/page/:place', query(check.shown), (c) =>
    visits.isGuest(c) ? page(c, store, c.req.valid('query')) : refuseVisit(c),
  );
  app.get('/v1/vals/:id', (c) => c.json(store.val(c.req.param('id'), !c.get('signedIn'))));

  app.use('/v1/*', signedInOnly);

  app.get('/v1/me', (c) => c.json(store.user));
  app.get('/v1/me/runs', query(check.runs), (c) => records(c, 'runs', c.req.valid('query')));
  app.get('/v1/me/likes', query(check.page), (c) => records(c, 'likes', c.req.valid('query')));
  app.get('/v1/me/comments', query(check.comments), (c) => records(c, 'comments', c.req.valid('query')));
  app.get('/v1/me/references', (c) => records(c, 'references'));

  app.post('/v1/vals', json(check.newVal), async (c) => created(c, await store.create(c.req.valid('json'))));
  app.put('/v1/vals', json(check.nameAndCode), async (c) => {
    const { name, code } = c.req.valid('json');
    const { val, isNew } = await store.createOrUpdate(name, code);
    return isNew ? created(c, val) : c.json(val);
  });
  app.delete('/v1/vals/:id', async (c) => {
    await store.delete(c.req.param('id'));
    return c.body(null, 204);
  });
  app.get('/v1/vals/:id/runs', query(check.page), (c) => {
    const { id } = store.val(c.req.param('id'));
    return records(c, 'runs', { ...c.req.valid('query'), valId: id });
  });

  app.get('/v1/vals/:id/versions', (c) => {
    const versions = store.versions(c.req.param('id')).map((version) => JSON.stringify(version));
    return list(c, versions);
  });
  app.post('/v1/vals/:id/versions', json(check.codeAlone), async (c) => {
    const { val, isNew } = await store.createVersion(c.req.param('id'), c.req.valid('json').code);
    return isNew ? created(c, val, `/versions/${val.version}`) : c.json(val);
  });
  app.get('/v1/vals/:id/versions/:version', (c) =>
    c.json(store.version(c.req.param('id'), check.version(c.req.param('version')))),
  );
  app.delete('/v1/vals/:id/versions/:version', async (c) => {
    await store.deleteVersion(c.req.param('id'), check.version(c.req.param('version')));
    return c.body(null, 204);
  });

  return app;
}

const valsPerPage = 50;

function page(c: Context<Env>, store: Store, { val, version, page }: check.PageRequest): Response {
  if (val !== undefined) {
    const shown = version === undefined ? store.val(val) : store.version(val, version);
    const versions = store.versions(val).map(({ version }) => version);
    return c.html(valPage(shown, versions), 200, pageHeaders);
  }
  const vals = store.newest(valsPerPage + 1, (page - 1) * valsPerPage);
  const next = vals.length > valsPerPage ? page + 1 : undefined;
  return c.html(listPage(vals.slice(0, valsPerPage), page, next), 200, pageHeaders);
}

function onMethodNotAllowed(c: Context, methods: string[]): Response {
  const headers = { Allow: methods.join(', ') };
  return answerError(new Problem(405, `${c.req.path} does not take ${c.req.method}.`, { headers }), c);
}

function created(c: Context<Env>, val: Val, below = ''): Response {
  return c.json(val, 201, { Location: `/v1/vals/${val.id}${below}` });
}

/** Takes records as JSON text, so that no number in them is rounded on the way. */
function list(c: Context<Env>, records: string[], links: object = {}): Response {
  const body = `{"data":[${records.join(',')}],"links":${JSON.stringify({ self: c.req.url, ...links })}}`;
  return c.body(body, 200, { 'Content-Type': 'application/json' });
}

/** The pages before and after this one, asked for with the same query. */
function neighbours(url: string, { limit, offset = 0 }: RecordFilter, more: boolean): object {
  if (limit === undefined) return {};
  const at = (offset: number) => {
    const page = new URL(url);
    page.searchParams.set('limit', `${limit}`);
    page.searchParams.set('offset', `${offset}`);
    return page.href;
  };
  return {
    ...(offset > 0 && { prev: at(Math.max(0, offset - limit)) }),
    ...(more && { next: at(offset + limit) }),
  };
}
