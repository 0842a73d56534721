import { requireUser } from '../guard.ts';
import { baseUrlOf } from '../request.ts';
import { valPositions } from '../store/positions.ts';
import type { Store } from '../store/store.ts';
import { search } from './checks.ts';
import { shortPage } from './list-page.ts';
import { valRecord } from './outgoing.ts';
import { type Route, route } from './route.ts';
import { listOf } from './schemas.ts';

export const searchRoute = (store: Store): Route =>
  route('GET', '/v1/search/vals', {
    id: 'searchVals',
    summary: 'Vals whose name or code contains the query',
    query: search,
    responses: { 200: listOf('Val') },
    async answer(request, { query: { text, ...range } }) {
      const found = await store.search(requireUser(request), text, range);
      return shortPage(request, found, range, {
        positions: valPositions,
        recordOf: (val) => valRecord(val, baseUrlOf(request)),
      });
    },
  });
