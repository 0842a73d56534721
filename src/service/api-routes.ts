// The routes of the API.
import * as check from './checks.ts';
import { type Paging, page, recordPage } from './list-page.ts';
import { likeRecord, userRecord, valRecord } from './outgoing.ts';
import { Problem } from './problem.ts';
import { type Val, valPositions, versionPositions } from './read-vals.ts';
import type { RecordFilter, RecordKind } from './records.ts';
import {
  type Answer,
  baseUrlOf,
  json,
  linkText,
  type ServiceRequest,
  selfOf,
  spacePrefix,
} from './request.ts';
import { type Route, route } from './route.ts';
import { listOf, ref } from './schemas.ts';
import { searchRoute } from './search-route.ts';
import type { Principal } from './spaces.ts';
import type { Store } from './store.ts';
import type { User } from './users.ts';

export function apiRoutes(store: Store): Route[] {
  const records = async (request: ServiceRequest, kind: RecordKind, filter: RecordFilter & Paging) => {
    const found = await store.records(me(request), kind, filter);
    const base = baseUrlOf(request);
    return recordPage(request, found, filter, ({ json }) =>
      kind === 'likes' ? likeRecord(json, base) : json,
    );
  };
  const userWithId = async (id: string): Promise<User> => {
    const user = await store.users.withId(id);
    if (!user) throw new Problem(404, 'There is no user with this id.');
    return user;
  };
  /** A space is found by its name from within alone. */
  const userNamed = async (request: ServiceRequest, username: string): Promise<User> => {
    const caller = me(request);
    const user = caller.username === username ? caller : await store.users.named(username);
    if (!user) throw new Problem(404, 'There is no user with this name.');
    return user;
  };

  return [
    route({
      ...{ method: 'GET', path: '/v1/vals/:id', access: 'anyone' },
      ...{ summary: 'A val with its code', gives: { 200: ref('Val') } },
      answer: async (request, { params }) => record(request, await store.val(request.user, params.id)),
    }),
    route({
      ...{ method: 'GET', path: '/v1/vals/:id/module', access: 'anyone' },
      ...{ summary: 'The code of a val', gives: { 200: 'application/typescript' } },
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
      ...{ summary: 'The person or space that the caller acts as', gives: { 200: ref('User') } },
      answer: (request) => {
        const { actor, ...user } = me(request);
        const record = userRecord(user, baseUrlOf(request), 'me');
        return json(actor.id === user.id ? record : { ...record, actor });
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/spaces', access: 'token' },
      ...{ summary: 'The spaces of the caller', gives: { 200: listOf('Space') } },
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
      ...{ summary: "Runs of the caller's vals", gives: { 200: listOf('Run') } },
      answer: (request, { query }) => records(request, 'runs', query),
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/likes', access: 'token', query: check.likes },
      ...{ summary: 'Vals that the caller likes', gives: { 200: listOf('Val') } },
      answer: (request, { query }) => records(request, 'likes', query),
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/comments', access: 'token', query: check.comments },
      ...{ summary: 'Comments by the caller, or on vals of the caller', gives: { 200: listOf('Comment') } },
      answer: (request, { query }) => records(request, 'comments', query),
    }),
    route({
      ...{ method: 'GET', path: '/v1/me/references', access: 'token', query: check.references },
      ...{ summary: "Vals that use the caller's vals", gives: { 200: listOf('Reference') } },
      answer: (request, { query }) => records(request, 'references', query),
    }),

    route({
      ...{ method: 'GET', path: '/v1/users/:id', access: 'token' },
      ...{ summary: 'A person, by id', gives: { 200: ref('User') } },
      answer: async (request, { params }) => person(request, await userWithId(params.id)),
    }),
    route({
      ...{ method: 'GET', path: '/v1/alias/:username', access: 'token' },
      ...{ summary: 'A person, by name', gives: { 200: ref('User') } },
      answer: async (request, { params }) => person(request, await userNamed(request, params.username)),
    }),
    route({
      ...{ method: 'GET', path: '/v1/alias/:username/:name', access: 'token' },
      ...{ summary: 'A val, by its owner and name', gives: { 200: ref('Val') } },
      async answer(request, { params }) {
        const owner = await userNamed(request, params.username);
        return record(request, await store.valNamed(me(request), owner, params.name));
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/users/:id/vals', access: 'token', query: check.vals },
      ...{
        summary: 'The vals of a person without their code, last changed first',
        gives: { 200: listOf('Val') },
      },
      async answer(request, { params, query }) {
        const user = await userWithId(params.id);
        const { vals, next } = await store.listVals(me(request), user, query);
        const sent = vals.map((val) => JSON.stringify(valRecord(val, baseUrlOf(request))));
        return page(request, sent, query, () => next && valPositions.write(next, query.before + sent.length));
      },
    }),

    searchRoute(store),

    route({
      ...{ method: 'POST', path: '/v1/vals', access: 'token', body: check.newVal },
      ...{ summary: 'Create a val', gives: { 201: ref('Val') } },
      answer: async (request, { body }) => created(request, await store.create(me(request), body)),
    }),
    route({
      ...{ method: 'PUT', path: '/v1/vals', access: 'token', body: check.nameAndCode },
      ...{
        summary: 'Create a val, or update the code of the val with this name',
        gives: { 200: ref('Val'), 201: ref('Val') },
      },
      async answer(request, { body }) {
        const { val, isNew } = await store.createOrUpdate(me(request), body);
        return isNew ? created(request, val) : record(request, val);
      },
    }),
    route({
      ...{ method: 'PUT', path: '/v1/vals/:id', access: 'token', body: check.changedFacts },
      ...{ summary: "Change a val's name, readme or privacy", gives: { 204: 'nothing' } },
      async answer(request, { params, body }) {
        await store.change(me(request), params.id, body);
        return { status: 204 };
      },
    }),
    route({
      ...{ method: 'DELETE', path: '/v1/vals/:id', access: 'token' },
      ...{ summary: 'Delete a val with its versions and runs', gives: { 204: 'nothing' } },
      async answer(request, { params }) {
        await store.delete(me(request), params.id);
        return { status: 204 };
      },
    }),

    route({
      ...{ method: 'GET', path: '/v1/vals/:id/runs', access: 'token', query: check.runs },
      ...{ summary: 'Runs of a val', gives: { 200: listOf('Run') } },
      async answer(request, { params, query }) {
        const found = await store.runs(me(request), params.id, query);
        return recordPage(request, found, query, ({ json }) => json);
      },
    }),
    route({
      ...{ method: 'POST', path: '/v1/vals/:id/runs', access: 'token', body: check.reportedRun },
      ...{ summary: 'Report a run that happened elsewhere', gives: { 201: ref('Run') } },
      answer: async (request, { params, body }) =>
        json(await store.addRun(me(request), params.id, body), 201),
    }),

    route({
      ...{ method: 'GET', path: '/v1/vals/:id/versions', access: 'token', query: check.versions },
      ...{ summary: 'The versions of a val, newest first', gives: { 200: listOf('Version') } },
      async answer(request, { params: { id }, query }) {
        const { versions, more } = await store.versions(me(request), id, query);
        const sent = versions.map((version) => JSON.stringify({ val_id: id, ...version }));
        const last = versions.at(-1);
        return page(request, sent, query, () =>
          more && last ? versionPositions.write([last.version], query.before + sent.length) : undefined,
        );
      },
    }),
    route({
      ...{ method: 'POST', path: '/v1/vals/:id/versions', access: 'token', body: check.newVersion },
      ...{ summary: 'Create a version of a val', gives: { 200: ref('Val'), 201: ref('Val') } },
      async answer(request, { params, body }) {
        const { val, isNew } = await store.createVersion(me(request), params.id, body);
        return isNew ? created(request, val, `/versions/${val.version}`) : record(request, val);
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/vals/:id/versions/:version', access: 'token' },
      ...{ summary: 'A val with the code of one version', gives: { 200: ref('Val') } },
      answer: async (request, { params: { id, version } }) =>
        record(request, await store.version(me(request), id, check.version(version))),
    }),
    route({
      ...{ method: 'DELETE', path: '/v1/vals/:id/versions/:version', access: 'token' },
      ...{ summary: 'Delete a version', gives: { 204: 'nothing' } },
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
