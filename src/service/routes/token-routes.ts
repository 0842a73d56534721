import { accessOf } from '../admit.ts';
import { json, selfOf, spacePrefix } from '../request.ts';
import { listSchema, type RecordOf, ref } from '../schemas.ts';
import type { Store } from '../store/open-store.ts';
import { addToken, removeToken, tokensOf } from '../store/tokens.ts';
import * as input from './inputs.ts';
import { type Route, route } from './route.ts';

export function tokenRoutes({ db, lastUse }: Pick<Store, 'db' | 'lastUse'>): Route[] {
  return [
    route('GET', '/v1/me/tokens', {
      summary: 'The tokens of the caller; below a space, those for that space',
      responses: { 200: listSchema('Token') },
      async reply(request) {
        await lastUse.written();
        const data: RecordOf<'Token'>[] = await tokensOf(db, accessOf(request));
        return json({ data, links: { self: selfOf(request).href } });
      },
    }),
    route('POST', '/v1/me/tokens', {
      summary: 'Create a token; below a space, one that is good for that space alone',
      body: input.newToken,
      responses: { 201: ref('NewToken') },
      async reply(request, { body }) {
        const token: RecordOf<'NewToken'> = await addToken(db, accessOf(request), input.tokenFrom(body));
        request.noted.about = { name: token.name, id: token.id };
        return json(token, 201, { Location: `${spacePrefix(request.space)}/v1/me/tokens/${token.id}` });
      },
    }),
    route('DELETE', '/v1/me/tokens/:id', {
      summary: 'End a token at once',
      responses: { 204: 'nothing' },
      async reply(request, { params }) {
        request.noted.about = await removeToken(db, accessOf(request), params.id);
        return { status: 204 };
      },
    }),
  ];
}
