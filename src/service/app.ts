// The routes of the service, as a table.
import { type Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import * as check from './checks.ts';
import { isStoreFailure } from './database/database.ts';
import { type Env, identify, limited, noWebPages, ownNames, readable, signedInOnly } from './guard.ts';
import type { Network } from './network.ts';
import { likeRecord, userRecord, valRecord } from './outgoing.ts';
import { formHeaders, listPage, pageHeaders, pageReads, refusalPage, valPage } from './page.ts';
import type { PageAccess } from './page-access.ts';
import { answerError, Problem, unauthorized } from './problem.ts';
import { createRateLimit, type Limits } from './rate-limit.ts';
import type { RecordFilter, RecordKind } from './records.ts';
import { createSignIn } from './sign-in.ts';
import type { Store, Val } from './store.ts';
import type { User } from './users.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

export interface AppOptions {
  network: Network;
  /** For each token; none where absent. */
  limits?: Limits;
  /** Whether the service is about to end. */
  isDraining?(): boolean;
  /** To the page of the store's owner. */
  pageAccess: PageAccess;
  /** A browser came without the link. */
  onRefusedVisit?(): void;
  onStoreFailure?(error: Error): void;
}

export function createApp(store: Store, options: AppOptions): Hono<Env> {
  const { network, limits, isDraining, pageAccess, onRefusedVisit, onStoreFailure } = options;
  const app = new Hono<Env>();
  const { json, query } = check;
  const sendRecords = (
    c: Context<Env>,
    { records, more }: { records: string[]; more: boolean },
    filter: RecordFilter,
  ) => list(c, records, neighbours(addressOf(c), filter, more));
  const records = async (c: Context<Env>, kind: RecordKind, filter: RecordFilter) => {
    const found = await store.records(me(c), kind, filter);
    const sent =
      kind === 'likes' ? found.records.map((like) => likeRecord(like, c.get('origin'))) : found.records;
    return sendRecords(c, { ...found, records: sent }, filter);
  };
  /** A list of which one record more was asked for than is given. */
  const page = (c: Context<Env>, found: object[], { limit, offset }: check.Paging) => {
    const sent = found.slice(0, limit).map((record) => JSON.stringify(record));
    return list(c, sent, neighbours(addressOf(c), { limit, offset }, found.length > limit));
  };
  const record = (c: Context<Env>, val: Val) => c.json(valRecord(val, c.get('origin')));

  const pages = createWorkQueue();
  const signIn = network.publicUrl && createSignIn(store, network.publicUrl, network);
  const refuseVisit = (c: Context<Env>) => {
    onRefusedVisit?.();
    const isBrowser = c.req.header('accept')?.includes('text/html');
    if (isBrowser) return signIn ? signIn.ask(c) : c.html(refusalPage(), 401, pageHeaders);
    const other = signIn ? 'a sign-in' : 'the link that `vals serve` shows';
    throw unauthorized(`This needs the token, or in a browser ${other}.`);
  };

  app.onError((error, c) => {
    if (isStoreFailure(error)) onStoreFailure?.(error);
    return answerError(error, c);
  });
  app.notFound((c) => answerError(new Problem(404, `There is nothing at ${c.req.path}.`), c));
  const probe = atMostOnceASecond(store.probe);
  app.get('/healthz', async (c) => {
    if (isDraining?.()) return c.json({ status: 'draining' }, 503, { 'Cache-Control': 'no-store' });
    await probe();
    return c.json({ status: 'ok' }, 200, { 'Cache-Control': 'no-store' });
  });
  app.use(ownNames(network));
  if (signIn) {
    app.post('/sign-in', signIn.signIn);
    app.post('/sign-out', signIn.signOut);
  }
  const rateLimit = limits && createRateLimit(limits, () => performance.now());
  app.use(noWebPages, readable, identify(store, rateLimit, network));
  if (rateLimit) app.use(limited(rateLimit, network));
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));

  app.get('/', query(check.shown), async (c) => {
    const user = c.get('user');
    if (user) return show(c, store, pages, user, c.req.valid('query'));
    if (signIn === undefined) return pageAccess.welcome(c) ?? refuseVisit(c);
    const visitor = await signIn.visitor(c);
    return visitor ? show(c, store, pages, visitor, c.req.valid('query'), true) : refuseVisit(c);
  });
  app.get('/page/:place', query(check.shown), (c) =>
    store.owner && pageAccess.isGuest(c)
      ? show(c, store, pages, store.owner.user, c.req.valid('query'))
      : refuseVisit(c),
  );
  app.get('/v1/vals/:id', async (c) => record(c, await store.val(c.get('user'), c.req.param('id'))));
  // No browser takes this type for a script, so no page of another site can load it as one.
  app.get('/v1/vals/:id/module', async (c) => {
    const { code } = await store.val(c.get('user'), c.req.param('id'));
    return c.body(code, 200, { 'Content-Type': 'application/typescript; charset=utf-8' });
  });

  app.use('/v1/*', signedInOnly);

  app.get('/v1/me', (c) => c.json(userRecord(me(c), c.get('origin'))));
  app.get('/v1/me/runs', query(check.runs), (c) => records(c, 'runs', c.req.valid('query')));
  app.get('/v1/me/likes', query(check.page), (c) => records(c, 'likes', c.req.valid('query')));
  app.get('/v1/me/comments', query(check.comments), (c) => records(c, 'comments', c.req.valid('query')));
  app.get('/v1/me/references', query(check.page), (c) => records(c, 'references', c.req.valid('query')));

  app.get('/v1/users/:id/vals', query(check.page), async (c) => {
    const user = await store.userWithId(c.req.param('id'));
    if (!user) throw new Problem(404, 'There is no user with this id.');
    const paging = c.req.valid('query');
    const vals = await store.newest(me(c), user, paging.limit + 1, paging.offset);
    return page(
      c,
      vals.map((val) => valRecord(val, c.get('origin'))),
      paging,
    );
  });

  app.post('/v1/vals', json(check.newVal), async (c) =>
    created(c, await store.create(me(c), c.req.valid('json'))),
  );
  app.put('/v1/vals', json(check.nameAndCode), async (c) => {
    const { name, code } = c.req.valid('json');
    const { val, isNew } = await store.createOrUpdate(me(c), name, code);
    return isNew ? created(c, val) : record(c, val);
  });
  app.delete('/v1/vals/:id', async (c) => {
    await store.delete(me(c), c.req.param('id'));
    return c.body(null, 204);
  });
  app.get('/v1/vals/:id/runs', query(check.runs), async (c) => {
    const filter = c.req.valid('query');
    return sendRecords(c, await store.runs(me(c), c.req.param('id'), filter), filter);
  });
  app.post('/v1/vals/:id/runs', json(check.reportedRun), async (c) =>
    c.json(await store.addRun(me(c), c.req.param('id'), c.req.valid('json')), 201),
  );

  app.get('/v1/vals/:id/versions', query(check.page), async (c) => {
    const id = c.req.param('id');
    const paging = c.req.valid('query');
    const versions = await store.versions(me(c), id, paging.limit + 1, paging.offset);
    return page(
      c,
      versions.map((version) => ({ val_id: id, ...version })),
      paging,
    );
  });
  app.post('/v1/vals/:id/versions', json(check.newVersion), async (c) => {
    const { val, isNew } = await store.createVersion(me(c), c.req.param('id'), c.req.valid('json'));
    return isNew ? created(c, val, `/versions/${val.version}`) : record(c, val);
  });
  app.get('/v1/vals/:id/versions/:version', async (c) =>
    record(c, await store.version(me(c), c.req.param('id'), check.version(c.req.param('version')))),
  );
  app.delete('/v1/vals/:id/versions/:version', async (c) => {
    await store.deleteVersion(me(c), c.req.param('id'), check.version(c.req.param('version')));
    return c.body(null, 204);
  });

  return app;
}

/** Anybody may ask whether it is well, as often as they like: the store is asked by one at a time, and not again at once. */
function atMostOnceASecond(probe: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  return () => {
    if (last) return last;
    last = probe();
    const forget = () => {
      setTimeout(() => {
        last = undefined;
      }, 1_000).unref();
    };
    last.then(forget, forget);
    return last;
  };
}

/** Below `signedInOnly`, somebody. */
const me = (c: Context<Env>): User => c.get('user') as User;

const valsPerPage = 50;

async function show(
  c: Context<Env>,
  store: Store,
  pages: WorkQueue,
  user: User,
  { val: id, version, from, page }: check.PageRequest,
  canSignOut = false,
): Promise<Response> {
  const now = Date.now();
  const headers = canSignOut ? formHeaders : pageHeaders;
  if (id !== undefined) {
    const val = await (version === undefined ? store.val(user, id) : store.version(user, id, version));
    const isOwn = val.author.id === user.id;
    const runs = isOwn ? (await store.runs(user, id, { limit: pageReads.runs })).records : [];
    const content = {
      val,
      versions: await store.versions(user, id, pageReads.versions),
      runs: runs.map((run) => JSON.parse(run)),
      before: from === undefined ? undefined : await store.version(user, id, from),
      now,
      canSignOut,
    };
    return c.html(await pages.run(user.id, () => valPage(content)), 200, headers);
  }
  const vals = await store.newest(user, user, valsPerPage + 1, (page - 1) * valsPerPage);
  const next = vals.length > valsPerPage ? page + 1 : undefined;
  return c.html(listPage(vals.slice(0, valsPerPage), { number: page, next, now, canSignOut }), 200, headers);
}

function onMethodNotAllowed(c: Context, methods: string[]): Response {
  const headers = { Allow: methods.join(', ') };
  return answerError(new Problem(405, `${c.req.path} does not take ${c.req.method}.`, { headers }), c);
}

function created(c: Context<Env>, val: Val, below = ''): Response {
  return c.json(valRecord(val, c.get('origin')), 201, { Location: `/v1/vals/${val.id}${below}` });
}

/** What was asked for, as the caller calls it. */
const addressOf = (c: Context<Env>): string =>
  c.get('origin') + c.req.url.slice(c.req.url.indexOf('/', 'https://'.length));

/** Takes records as JSON text, so that no number in them is rounded on the way. */
function list(c: Context<Env>, records: string[], links: object = {}): Response {
  const body = `{"data":[${records.join(',')}],"links":${JSON.stringify({ self: addressOf(c), ...links })}}`;
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
