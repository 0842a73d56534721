// The routes of the API.
import * as check from './checks.ts';
import { likeRecord, userRecord, valRecord } from './outgoing.ts';
import { Problem } from './problem.ts';
import type { RecordFilter, RecordKind } from './records.ts';
import {
  type Answer,
  baseUrlOf,
  json,
  jsonText,
  linkText,
  type ServiceRequest,
  selfOf,
  spacePrefix,
} from './request.ts';
import { type Route, route } from './route.ts';
import { searchRoute } from './search-route.ts';
import type { Principal } from './spaces.ts';
import type { Store, Val } from './store.ts';
import type { User } from './users.ts';

/** A page with more bytes than this ends early. */
const mostPageBytes = 4 * 1024 * 1024;

export function apiRoutes(store: Store): Route[] {
  const records = async (request: ServiceRequest, kind: RecordKind, filter: RecordFilter) => {
    const found = await store.records(me(request), kind, filter);
    const base = baseUrlOf(request);
    const sent = kind === 'likes' ? found.records.map((like) => likeRecord(like, base)) : found.records;
    return page(request, sent, filter, found.more);
  };
  const userWithId = async (id: string): Promise<User> => {
    const user = await store.userWithId(id);
    if (!user) throw new Problem(404, 'There is no user with this id.');
    return user;
  };
  /** A space is found by its name from within alone. */
  const userNamed = async (request: ServiceRequest, username: string): Promise<User> => {
    const caller = me(request);
    const user = caller.username === username ? caller : await store.userNamed(username);
    if (!user) throw new Problem(404, 'There is no user with this name.');
    return user;
  };

  return [
    route({
      ...{ method: 'GET', path: '/v1/vals/:id', access: 'anyone' },
      answer: async (request, { params }) => record(request, await store.val(request.user, params.id)),
    }),
    route({
      ...{ method: 'GET', path: '/v1/vals/:id/module', access: 'anyone' },
      async answer({ user }, { params }) {
        const { code } = await store.val(user, params.id);
        // No browser takes this type for a script, so no page of another site can load it as one.
        return {
          status: 200,
          headers: { 'Content-Type': 'application/typescript; charset=utf-8' },
          body: code,
        };
      },
    }),

    route({
      ...{ method: 'GET', path: '/v1/me', access: 'token' },
      answer: (request) => {
        const { actor, ...user } = me(request);
        const record = userRecord(user, baseUrlOf(request), 'me');
        return json(actor.id === user.id ? record : { ...record, actor });
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/spaces', access: 'token' },
      async answer(request) {
        const spaces = await store.spaces.of(me(request).actor);
        const data = spaces.map((space) => ({
          ...space,
          ...(request.namesAddresses && { url: request.origin + spacePrefix(space.username) }),
        }));
        return json({ data, links: { self: linkText(request, selfOf(request)) } });
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/runs', access: 'token', query: check.runs },
      answer: (request, { query }) => records(request, 'runs', query),
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/likes', access: 'token', query: check.page },
      answer: (request, { query }) => records(request, 'likes', query),
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/comments', access: 'token', query: check.comments },
      answer: (request, { query }) => records(request, 'comments', query),
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/references', access: 'token', query: check.references },
      answer: (request, { query }) => records(request, 'references', query),
    }),

    route({
      ...{ method: 'GET', path: '/v1/users/:id', access: 'token' },
      answer: async (request, { params }) => person(request, await userWithId(params.id)),
    }),
    route({
      ...{ method: 'GET', path: '/v1/alias/:username', access: 'token' },
      answer: async (request, { params }) => person(request, await userNamed(request, params.username)),
    }),
    route({
      ...{ method: 'GET', path: '/v1/alias/:username/:name', access: 'token' },
      async answer(request, { params }) {
        const owner = await userNamed(request, params.username);
        return record(request, await store.valNamed(me(request), owner, params.name));
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/users/:id/vals', access: 'token', query: check.page },
      async answer(request, { params, query }) {
        const user = await userWithId(params.id);
        const vals = await store.newest(me(request), user, query.limit + 1, query.offset);
        return objectPage(
          request,
          vals.map((val) => valRecord(val, baseUrlOf(request))),
          query,
        );
      },
    }),

    searchRoute(store),

    route({
      ...{ method: 'POST', path: '/v1/vals', access: 'token', body: check.newVal },
      answer: async (request, { body }) => created(request, await store.create(me(request), body)),
    }),
    route({
      ...{ method: 'PUT', path: '/v1/vals', access: 'token', body: check.nameAndCode },
      async answer(request, { body }) {
        const { val, isNew } = await store.createOrUpdate(me(request), body);
        return isNew ? created(request, val) : record(request, val);
      },
    }),
    route({
      ...{ method: 'PUT', path: '/v1/vals/:id', access: 'token', body: check.changedFacts },
      async answer(request, { params, body }) {
        await store.change(me(request), params.id, body);
        return { status: 204 };
      },
    }),
    route({
      ...{ method: 'DELETE', path: '/v1/vals/:id', access: 'token' },
      async answer(request, { params }) {
        await store.delete(me(request), params.id);
        return { status: 204 };
      },
    }),

    route({
      ...{ method: 'GET', path: '/v1/vals/:id/runs', access: 'token', query: check.runs },
      async answer(request, { params, query }) {
        const found = await store.runs(me(request), params.id, query);
        return page(request, found.records, query, found.more);
      },
    }),
    route({
      ...{ method: 'POST', path: '/v1/vals/:id/runs', access: 'token', body: check.reportedRun },
      answer: async (request, { params, body }) =>
        json(await store.addRun(me(request), params.id, body), 201),
    }),

    route({
      ...{ method: 'GET', path: '/v1/vals/:id/versions', access: 'token', query: check.page },
      async answer(request, { params: { id }, query }) {
        const versions = await store.versions(me(request), id, query.limit + 1, query.offset);
        return objectPage(
          request,
          versions.map((version) => ({ val_id: id, ...version })),
          query,
        );
      },
    }),
    route({
      ...{ method: 'POST', path: '/v1/vals/:id/versions', access: 'token', body: check.newVersion },
      async answer(request, { params, body }) {
        const { val, isNew } = await store.createVersion(me(request), params.id, body);
        return isNew ? created(request, val, `/versions/${val.version}`) : record(request, val);
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/vals/:id/versions/:version', access: 'token' },
      answer: async (request, { params: { id, version } }) =>
        record(request, await store.version(me(request), id, check.version(version))),
    }),
    route({
      ...{ method: 'DELETE', path: '/v1/vals/:id/versions/:version', access: 'token' },
      async answer(request, { params: { id, version } }) {
        await store.deleteVersion(me(request), id, check.version(version));
        return { status: 204 };
      },
    }),
  ];
}

/** On a route that needs a token. */
const me = ({ user }: ServiceRequest): Principal => user as Principal;

const person = (request: ServiceRequest, user: User): Answer =>
  json(userRecord(user, baseUrlOf(request), `users/${user.id}`));

const record = (request: ServiceRequest, val: Val): Answer => json(valRecord(val, baseUrlOf(request)));

const created = (request: ServiceRequest, val: Val, below = ''): Answer =>
  json(valRecord(val, baseUrlOf(request)), 201, {
    Location: `${spacePrefix(request.space)}/v1/vals/${val.id}${below}`,
  });

/** Takes one object more than the page has, if there are more. */
function objectPage(request: ServiceRequest, found: object[], paging: check.Paging): Answer {
  const sent = found.slice(0, paging.limit).map((object) => JSON.stringify(object));
  return page(request, sent, paging, found.length > paging.limit);
}

/** Takes records as JSON text, so that their numbers keep their digits. */
function page(request: ServiceRequest, records: string[], filter: RecordFilter, more: boolean): Answer {
  let bytes = 0;
  const tooMany = records.findIndex((record, index) => {
    bytes += Buffer.byteLength(record);
    return bytes > mostPageBytes && index > 0;
  });
  const sent = tooMany < 0 ? records : records.slice(0, tooMany);
  const self = selfOf(request);
  const others = neighbours(self, filter, sent.length, more || tooMany >= 0);
  const links = Object.fromEntries(
    Object.entries({ self, ...others }).map(([name, url]) => [name, linkText(request, url)]),
  );
  return jsonText(`{"data":[${sent.join(',')}],"links":${JSON.stringify(links)}}`);
}

/** The pages before and after this one, with the same query. */
function neighbours(
  self: URL,
  { limit, offset = 0 }: RecordFilter,
  sent: number,
  more: boolean,
): Record<string, URL> {
  const at = (offset: number) => {
    const page = new URL(self);
    page.searchParams.set('limit', `${limit}`);
    page.searchParams.set('offset', `${offset}`);
    return page;
  };
  return {
    ...(offset > 0 && { prev: at(Math.max(0, offset - (limit ?? 0))) }),
    ...(more && { next: at(offset + sent) }),
  };
}
