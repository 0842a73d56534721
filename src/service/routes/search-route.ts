import { requireUser, tooManyRequests } from '../guard.ts';
import { baseUrlOf } from '../request.ts';
import { searchPositions } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import { search } from './checks.ts';
import { page } from './list-page.ts';
import { valRecord } from './outgoing.ts';
import { type Route, route } from './route.ts';
import { listOf } from './schemas.ts';

const mostOfOnePerson = 2;

export function searchRoute(store: Store): Route {
  const underWay = new Map<string, number>();

  async function limited<Result>(person: string, work: () => Promise<Result>): Promise<Result> {
    const count = underWay.get(person) ?? 0;
    if (count >= mostOfOnePerson)
      throw tooManyRequests(
        `You already have ${mostOfOnePerson} searches running. Wait until one of them ends.`,
      );
    underWay.set(person, count + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(person) ?? 1) - 1;
      if (left > 0) underWay.set(person, left);
      else underWay.delete(person);
    }
  }

  return route('GET', '/v1/search/vals', {
    summary: 'Vals whose name or code contains the query',
    query: search,
    responses: { 200: listOf('Val') },
    async answer(request, { query: { text, ...range } }) {
      const caller = requireUser(request);
      const { vals, next } = await limited(caller.actor.id, () =>
        store.search(caller, text, range, request.takeTurn),
      );
      const sent = vals.map((val) => JSON.stringify(valRecord(val, baseUrlOf(request))));
      return page(
        request,
        sent,
        range,
        () => next && searchPositions.write(next, range.recordsBefore + sent.length),
      );
    },
  });
}
