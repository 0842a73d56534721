import { accessOf } from '../admit.ts';
import { HttpProblem } from '../problem.ts';
import { json, linkBaseOf, type ServiceReply, type ServiceRequest, selfOf, spacePrefix } from '../request.ts';
import { listSchema, type RecordOf, ref } from '../schemas.ts';
import type { User } from '../store/access.ts';
import {
  findLikesOrComments,
  type LikesAndCommentsFilter,
  type LoadedKind,
} from '../store/likes-and-comments.ts';
import { listVals } from '../store/lists.ts';
import type { Store } from '../store/open-store.ts';
import { visibleOwner } from '../store/owners.ts';
import { recordPositions, runPositions, valPositions } from '../store/positions.ts';
import { findReferences } from '../store/references.ts';
import { listRuns } from '../store/runs.ts';
import { valNamed } from '../store/vals.ts';
import * as input from './inputs.ts';
import { listReply, referenceRecord, runList, userRecord, valList, valReply } from './outgoing.ts';
import { type Route, route } from './route.ts';

/** Longer than other functions, because it is a table: one entry for each route. */
export function userRoutes({ db }: Pick<Store, 'db'>): Route[] {
  const records = async (
    request: ServiceRequest,
    kind: LoadedKind,
    filter: LikesAndCommentsFilter & { tag?: string | undefined },
  ) =>
    listReply(request, await findLikesOrComments(db, kind, accessOf(request).owner, filter), filter, {
      positions: recordPositions,
      jsonOf: (json) => json,
    });
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
        const { owner, actor, token, mayWrite } = accessOf(request);
        const { name, expiresAt, spaceId } = token;
        return json({
          ...userRecord(owner, linkBaseOf(request), { path: 'me', isCaller: true }),
          ...(actor.id !== owner.id && { actor }),
          token: { name, readOnly: !mayWrite, space: spaceId && owner.username, expiresAt },
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
        const range = input.rangeOf(runPositions, query);
        return runList(request, await listRuns(db, accessOf(request), range), range);
      },
    }),
    route('GET', '/v1/me/likes', {
      summary: 'Vals that the caller likes',
      query: input.pageInput,
      responses: { 200: listSchema('LikedVal') },
      reply: (request, { query }) => records(request, 'likes', input.rangeOf(recordPositions, query)),
    }),
    route('GET', '/v1/me/comments', {
      summary: "Comments by the caller, and comments on the caller's vals",
      query: input.comments,
      responses: { 200: listSchema('Comment') },
      reply(request, { query: { relationship, ...query } }) {
        const tag = relationship === 'any' ? undefined : relationship;
        return records(request, 'comments', { ...input.rangeOf(recordPositions, query), tag });
      },
    }),
    route('GET', '/v1/me/references', {
      summary: "Vals that import the caller's vals",
      query: input.references,
      responses: { 200: listSchema('Reference') },
      async reply(request, { query }) {
        const access = accessOf(request);
        const filter = input.rangeOf(recordPositions, query);
        const found = await findReferences(db, access, filter);
        return listReply(request, found, filter, {
          positions: recordPositions,
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
        const range = input.rangeOf(valPositions, query);
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
