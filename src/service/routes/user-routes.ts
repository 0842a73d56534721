import { accessOf } from '../admit.ts';
import { HttpProblem } from '../problem.ts';
import { json, linkBaseOf, type ServiceReply, type ServiceRequest, selfOf, spacePrefix } from '../request.ts';
import type { User } from '../store/access.ts';
import { listVals } from '../store/lists.ts';
import type { Store } from '../store/open-store.ts';
import { valPositions } from '../store/positions.ts';
import { findRecords, type RecordFilter, type RecordKind } from '../store/records.ts';
import { findReferences } from '../store/references.ts';
import { valNamed } from '../store/vals.ts';
import * as check from './checks.ts';
import { type PageParameters, recordPage, shortPage } from './list-page.ts';
import { referenceRecord, userRecord, valRecord, valReply } from './outgoing.ts';
import { type Route, route } from './route.ts';
import { listSchema, type RecordOf, ref } from './schemas.ts';

/** Longer than other functions, because it is a table: one entry for each route. */
export function userRoutes({ db, people, spaces }: Pick<Store, 'db' | 'people' | 'spaces'>): Route[] {
  const records = async (
    request: ServiceRequest,
    kind: RecordKind,
    filter: RecordFilter & PageParameters,
  ) => {
    const found = await findRecords(db, kind, { ownerId: accessOf(request).owner.id }, filter);
    return recordPage(request, found, filter);
  };
  const userWithId = async (id: string): Promise<User> => {
    const user = await people.withId(id);
    if (!user) throw new HttpProblem(404, `There is no user with the id ${id}.`);
    return user;
  };
  const userNamed = async (request: ServiceRequest, username: string): Promise<User> => {
    const { owner } = accessOf(request);
    const user = owner.username === username ? owner : await people.named(username);
    if (!user) throw new HttpProblem(404, `There is no user named ${username}.`);
    return user;
  };

  return [
    route('GET', '/v1/me', {
      summary: 'The person or space that the caller acts as',
      responses: { 200: ref('User') },
      reply: (request) => {
        const { owner, actor, token } = accessOf(request);
        const { name, readOnly, expiresAt, spaceId } = token;
        return json({
          ...userRecord(owner, linkBaseOf(request), { path: 'me', isCaller: true }),
          ...(actor.id !== owner.id && { actor }),
          token: { name, readOnly, space: spaceId && owner.username, expiresAt },
        });
      },
    }),
    route('GET', '/v1/me/spaces', {
      summary: 'The spaces of the caller',
      responses: { 200: listSchema('Space') },
      async reply(request) {
        const joined = await spaces.withMember(accessOf(request).actor);
        const data: RecordOf<'Space'>[] = joined.map((space) => ({
          ...space,
          url: request.origin + spacePrefix(space.username),
        }));
        return json({ data, links: { self: selfOf(request).href } });
      },
    }),
    route('GET', '/v1/me/runs', {
      summary: "Runs of the caller's vals",
      query: check.runs,
      responses: { 200: listSchema('Run') },
      reply: (request, { query }) => records(request, 'runs', query),
    }),
    route('GET', '/v1/me/likes', {
      summary: 'Vals that the caller likes',
      query: check.page,
      responses: { 200: listSchema('LikedVal') },
      reply: (request, { query }) => records(request, 'likes', query),
    }),
    route('GET', '/v1/me/comments', {
      summary: "Comments by the caller, and comments on the caller's vals",
      query: check.comments,
      responses: { 200: listSchema('Comment') },
      reply: (request, { query }) => records(request, 'comments', query),
    }),
    route('GET', '/v1/me/references', {
      summary: "Vals that import the caller's vals",
      query: check.references,
      responses: { 200: listSchema('Reference') },
      async reply(request, { query: { val: valId, ...filter } }) {
        const access = accessOf(request);
        const found = await findReferences(db, access, { owner: access.owner, valId }, filter);
        const records = found.references.map((reference) => ({
          ...reference,
          json: JSON.stringify(referenceRecord(reference, access.owner)),
        }));
        return recordPage(request, { records, more: found.more }, filter);
      },
    }),

    route('GET', '/v1/users/:id', {
      summary: 'A person, by id',
      responses: { 200: ref('User') },
      reply: async (request, { params }) => userReply(request, await userWithId(params.id)),
    }),
    route('GET', '/v1/users/:id/vals', {
      summary: 'The vals of a person, without the code, newest first',
      query: check.vals,
      responses: { 200: listSchema('Val') },
      async reply(request, { params, query }) {
        const user = await userWithId(params.id);
        const found = await listVals(db, accessOf(request), user, query);
        return shortPage(request, found, query, {
          positions: valPositions,
          recordOf: (val) => valRecord(val, linkBaseOf(request)),
        });
      },
    }),
    route('GET', '/v1/alias/:username', {
      summary: 'A person, by name',
      responses: { 200: ref('User') },
      reply: async (request, { params }) => userReply(request, await userNamed(request, params.username)),
    }),
    route('GET', '/v1/alias/:username/:name', {
      summary: 'A val, by its owner and name',
      hasIfNoneMatch: true,
      responses: { 200: ref('Val'), 304: 'nothing' },
      reply: async (request, { params: { username, name } }) =>
        valReply(request, await valNamed(db, accessOf(request), username, name)),
    }),
  ];
}

const userReply = (request: ServiceRequest, user: User): ServiceReply =>
  json(
    userRecord(user, linkBaseOf(request), {
      path: `users/${user.id}`,
      isCaller: user.id === request.access?.owner.id,
    }),
  );
