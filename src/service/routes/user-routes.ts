import { accessOf } from '../admit.ts';
import { HttpProblem } from '../problem.ts';
import { json, linkBaseOf, type ServiceReply, type ServiceRequest, selfOf, spacePrefix } from '../request.ts';
import { listSchema, type RecordOf, ref } from '../schemas.ts';
import type { User } from '../store/access.ts';
import { listVals } from '../store/lists.ts';
import type { Store } from '../store/open-store.ts';
import { visibleOwner } from '../store/owners.ts';
import { numberPositions, timePositions } from '../store/positions.ts';
import { findReferences } from '../store/references.ts';
import { listRuns } from '../store/runs.ts';
import { valNamed } from '../store/vals.ts';
import * as input from './inputs.ts';
import { listReply, referenceRecord, runList, userRecord, valList, valReply } from './outgoing.ts';
import { type Route, route } from './route.ts';

/** Longer than other functions, because it is a table: one entry for each route. */
export function userRoutes({ db }: Pick<Store, 'db'>): Route[] {
  const nothing = (request: ServiceRequest) => json({ data: [], links: { self: selfOf(request).href } });
  const findUser = async (request: ServiceRequest, by: 'id' | 'username', value: string): Promise<User> => {
    const user = await visibleOwner(db, accessOf(request), by, value);
    if (user) return user;
    throw new HttpProblem(404, `There is no user ${by === 'id' ? 'with the id' : 'named'} ${value}.`);
  };

  return [
    route('GET', '/v1/me', {
      summary: 'The person or space that the caller acts as',
      responses: { 200: ref('User') },
      reply: (request) => {
        const { owner, actor, token } = accessOf(request);
        const { name, access, expiresAt, spaceId } = token;
        return json({
          ...userRecord(owner, linkBaseOf(request), { path: 'me', isCaller: true }),
          ...(actor.id !== owner.id && { actor }),
          token: { name, access, space: spaceId && owner.username, expiresAt },
        });
      },
    }),
    route('GET', '/v1/me/spaces', {
      summary: 'The spaces of the caller, as far as the token goes',
      responses: { 200: listSchema('Space') },
      reply(request) {
        const data: RecordOf<'Space'>[] = accessOf(request).spaces.map((space) => ({
          ...space,
          url: request.origin + spacePrefix(space.username),
        }));
        return json({ data, links: { self: selfOf(request).href } });
      },
    }),
    route('GET', '/v1/me/runs', {
      summary: "Runs of the caller's vals",
      query: input.runs,
      responses: { 200: listSchema('Run') },
      async reply(request, { query }) {
        const range = input.rangeOf(timePositions, query);
        return runList(request, await listRuns(db, accessOf(request), range), range);
      },
    }),
    route('GET', '/v1/me/likes', {
      summary: 'Nobody can like a val here, so the list is empty',
      query: input.pageInput,
      responses: { 200: listSchema('Val') },
      reply: nothing,
    }),
    route('GET', '/v1/me/comments', {
      summary: 'Nobody can write a comment here, so the list is empty',
      query: input.comments,
      responses: { 200: listSchema('Val') },
      reply: nothing,
    }),
    route('GET', '/v1/me/references', {
      summary: "Vals that import the caller's vals",
      query: input.references,
      responses: { 200: listSchema('Reference') },
      async reply(request, { query }) {
        const access = accessOf(request);
        const filter = input.rangeOf(timePositions, query);
        const found = await findReferences(db, access, filter);
        return listReply(request, found, filter, {
          positions: timePositions,
          jsonOf: (reference) => JSON.stringify(referenceRecord(reference, access.owner)),
        });
      },
    }),

    route('GET', '/v1/users/:id', {
      summary: 'A person or a space, by id',
      responses: { 200: ref('User') },
      reply: async (request, { params }) => userReply(request, await findUser(request, 'id', params.id)),
    }),
    route('GET', '/v1/users/:id/vals', {
      summary: 'The vals of a person, without the code, newest first',
      query: input.pageInput,
      responses: { 200: listSchema('Val') },
      async reply(request, { params, query }) {
        const user = await findUser(request, 'id', params.id);
        const range = input.rangeOf(numberPositions, query);
        return valList(request, await listVals(db, accessOf(request), user, range), range);
      },
    }),
    route('GET', '/v1/alias/:username', {
      summary: 'A person or a space, by name',
      responses: { 200: ref('User') },
      reply: async (request, { params }) =>
        userReply(request, await findUser(request, 'username', params.username)),
    }),
    route('GET', '/v1/alias/:username/:name', {
      summary: 'A val, by its owner and name',
      responses: { 200: ref('Val') },
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
