// The route that searches vals. It reads code, so a person may have few searches under way.
import { search } from './checks.ts';
import { tooManyRequests } from './guard.ts';
import { page } from './list-page.ts';
import { valRecord } from './outgoing.ts';
import { baseUrlOf } from './request.ts';
import { type Route, route } from './route.ts';
import { listOf } from './schemas.ts';
import { searchPositions } from './search.ts';
import type { Principal } from './spaces.ts';
import type { Store } from './store.ts';

const mostOfOne = 2;

export function searchRoute(store: Store): Route {
  const underWay = new Map<string, number>();

  /** Counts the searches of a person. */
  async function counted<Result>(person: string, work: () => Promise<Result>): Promise<Result> {
    const count = underWay.get(person) ?? 0;
    if (count >= mostOfOne)
      throw tooManyRequests('You have other searches under way. Wait until one of them has ended.');
    underWay.set(person, count + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(person) ?? 1) - 1;
      if (left > 0) underWay.set(person, left);
      else underWay.delete(person);
    }
  }

  return route({
    ...{ method: 'GET', path: '/v1/search/vals', access: 'token', query: search },
    ...{ summary: 'Vals whose name or code contains a text', gives: { 200: listOf('Val') } },
    async answer(request, { query: { text, ...range } }) {
      const caller = request.user as Principal;
      const { vals, next } = await counted(caller.actor.id, () => store.search(caller, text, range));
      const sent = vals.map((val) => JSON.stringify(valRecord(val, baseUrlOf(request))));
      return page(
        request,
        sent,
        range,
        () => next && searchPositions.write(next, range.before + sent.length),
      );
    },
  });
}
