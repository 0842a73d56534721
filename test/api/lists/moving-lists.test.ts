import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FetchedPage, Paging } from '../../../src/api/lists/cursor.ts';
import { listPages } from '../../../src/api/lists/pages.ts';
import type { Page } from '../../../src/lib/page.ts';
import { budget, chanceOf } from '../../support/cases.ts';
import { run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';

interface Plan {
  seed: number;
  cap: number;
  links: boolean;
  size: number;
  removals: 'none' | 'once seen to move' | 'any time';
  changes: number;
  calm: number;
  late: () => Promise<unknown>;
}

function movingList({ seed, cap, links, size, removals, changes, calm }: Plan) {
  const { between, fraction, oneOf } = chanceOf(seed);
  const initial = Array.from({ length: size }, (_, index) => `old-${index}`);
  const sent = new Set<string>();
  const hidden = new Set<string>();
  let list = [...initial];
  let arrived = 0;
  let requests = 0;
  let seenToMove = false;

  function change(): void {
    if (requests <= calm || changes <= 0 || fraction() < 0.4) return;
    changes -= 1;
    const burst = oneOf([0, 1, between(0, 250), cap - 1, cap, cap + 1, 2 * cap, between(0, cap)]);
    const fresh = Array.from({ length: Math.min(burst, 250) }, (_, index) => `new-${arrived + index}`);
    arrived += fresh.length;
    list = [...fresh.toReversed(), ...list];
    if (removals === 'none' || (removals === 'once seen to move' && !seenToMove)) return;
    for (let left = oneOf([0, 1, cap - 1, cap, between(0, 2 * cap)]); left > 0 && list.length > 0; left--) {
      list.splice(between(0, list.length - 1), 1);
    }
  }

  return {
    initial,
    isInOrder: removals === 'none',
    stillThere: () => new Set(list),
    hidden,
    page(query: URLSearchParams): { ids: string[]; next: string | null | undefined } {
      change();
      requests += 1;
      const offset = Number(query.get('offset'));
      const end = offset + Math.min(cap, Number(query.get('limit')));
      const ids = list.slice(offset, end);
      if (!seenToMove) for (const id of list.slice(0, offset)) if (!sent.has(id)) hidden.add(id);
      if (ids.some((id) => sent.has(id))) seenToMove = true;
      for (const id of ids) sent.add(id);
      const next = end < list.length ? `limit=${query.get('limit')}&offset=${offset + ids.length}` : null;
      return { ids, next: links ? next : undefined };
    },
  };
}

type MovingList = ReturnType<typeof movingList>;

function faults(given: readonly string[], list: MovingList): string[] {
  const once = new Set(given);
  const there = list.stillThere();
  const missed = list.initial.filter((id) => there.has(id) && !once.has(id) && !list.hidden.has(id));
  const old = given.filter((id) => id.startsWith('old-')).map((id) => Number(id.slice(4)));
  const isWronglyOrdered = list.isInOrder && old.some((number, index) => number < (old[index - 1] ?? 0));
  return [
    ...(isWronglyOrdered ? ['in another order'] : []),
    ...(once.size < given.length ? [`${given.length - once.size} twice`] : []),
    ...(missed.length > 0 ? [`${missed.length} of ${list.initial.length} missed, ${missed[0]} first`] : []),
  ];
}

function planOf(seed: number, removals: Plan['removals'], least: number): Plan {
  const { between, oneOf, fraction } = chanceOf(seed * 7_919);
  const cap = oneOf([least, least + 1, 3, 5, 10, 50, 99, 100, between(least, 100)]);
  return {
    seed,
    cap,
    links: fraction() < 0.5,
    size: oneOf([0, 1, cap, cap + 1, between(0, Math.min(600, 40 * cap))]),
    removals,
    changes: between(1, 15),
    calm: 0,
    late: () => sleep(oneOf([0, 0, 1, 2, 3])),
  };
}

interface ReadingOptions {
  paging?: Paging;
  most?: number;
  served?: () => Promise<unknown>;
}

async function readAll(
  fetchPage: (query: URLSearchParams) => FetchedPage,
  { paging, most = Infinity, served = async () => {} }: ReadingOptions = {},
) {
  const ids: string[] = [];
  let warnings = 0;
  let requests = 0;
  const fetch = async (query: URLSearchParams) => {
    requests += 1;
    if (requests > most) throw new Error(`more than ${most} requests`);
    await served();
    return fetchPage(query);
  };
  const notes = { circular: () => void warnings++, more: () => {} };
  for await (const page of listPages(fetch, new URLSearchParams(), paging, notes)) {
    for (const { id } of page.records) ids.push(String(id));
  }
  return { ids, warnings, requests };
}

const pageWith = (ids: readonly string[]): Page => ({ records: ids.map((id) => ({ id })) });
const everything: Paging = { all: true };

async function tortured(plan: Plan): Promise<string[]> {
  const list = movingList(plan);
  const { ids, warnings } = await readAll(
    (query) => {
      const { ids, next } = list.page(query);
      return { page: pageWith(ids), next: typeof next === 'string' ? new URLSearchParams(next) : next };
    },
    { paging: everything, most: 20_000, served: plan.late },
  );
  const found = faults(ids, list);
  return found.length === 0
    ? []
    : [`${JSON.stringify(plan)}: ${found.join(', ')}${warnings ? ', with a warning' : ''}`];
}

describe('a list that changes while it is read', () => {
  it.each([
    { removals: 'none', least: 1, seeds: budget(60) },
    { removals: 'once seen to move', least: 2, seeds: budget(40) },
    { removals: 'any time', least: 2, seeds: budget(30) },
  ] as const)(
    'gives each record once in $seeds random orders (records vanish: $removals)',
    async ({ removals, least, seeds }) => {
      const found: string[] = [];
      for (let seed = 1; seed <= seeds; seed++)
        found.push(...(await tortured(planOf(seed, removals, least))));
      expect(`${found.length} of ${seeds} went wrong\n${found.slice(0, 10).join('\n')}`).toBe(
        `0 of ${seeds} went wrong\n`,
      );
    },
  );

  it('gives each record once if pages are requested early and served out of order', async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= budget(40); seed++) {
      const { between } = chanceOf(seed);
      const plan = { ...planOf(seed, 'none', 1), cap: 100, size: between(500, 3_000), calm: between(4, 20) };
      found.push(...(await tortured(plan)));
    }
    expect(found).toEqual([]);
  });

  const bursts = [1, 2, 3, 10, 100].flatMap((cap) =>
    [true, false].map((links) => ({ cap, links, times: 30 })),
  );
  it.each(bursts)(
    'gives each record once if arrivals repeat a page of $cap records $times times (links: $links)',
    async ({ cap, links, times }) => {
      const old = Array.from({ length: cap * 5 }, (_, index) => `old-${index}`);
      let list = old;
      let left = times;
      let lastPage = '';
      const { ids } = await readAll(
        (query) => {
          const offset = Number(query.get('offset'));
          const size = Math.min(cap, Number(query.get('limit')));
          const at = list.indexOf(lastPage);
          if (lastPage !== '' && left > 0 && at >= 0 && at < offset) {
            left -= 1;
            list = [...Array.from({ length: offset - at }, (_, index) => `new-${left}-${index}`), ...list];
          }
          const page = list.slice(offset, offset + size);
          lastPage = page[0] ?? '';
          const next =
            offset + size < list.length ? new URLSearchParams({ offset: `${offset + size}` }) : null;
          return { page: pageWith(page), next: links ? next : undefined };
        },
        { paging: everything, most: 5_000 },
      );
      const once = new Set(ids);
      expect({ twice: ids.length - once.size, missed: old.filter((id) => !once.has(id)).length }).toEqual({
        twice: 0,
        missed: 0,
      });
    },
  );

  it.each(Array.from({ length: budget(4) }, (_, index) => 5_000 + index))(
    'gives each record once over HTTP with the built program, seed %i',
    async (seed) => {
      const plan = planOf(seed, seed % 2 ? 'once seen to move' : 'none', 2);
      const list = movingList(plan);
      const service = await scriptedService([], ({ path }) => {
        const { ids, next } = list.page(new URL(path, 'http://service').searchParams);
        const rows = ids.map((id) => ({ id }));
        if (next === undefined) return { body: rows };
        return { body: { data: rows, links: next === null ? {} : { next: `/v1/me/runs?${next}` } } };
      });
      const { exit, stdout } = await run(['runs', '--all', '--ndjson'], { env: service.env });
      const given = stdout.split('\n').filter((line) => line !== '');
      const ids = given.map((line) => (JSON.parse(line) as { id: string }).id);
      expect({ plan, exit, faults: faults(ids, list) }).toEqual({ plan, exit: 0, faults: [] });
    },
  );
});

describe('a list without an end', () => {
  const pageOf = (name: string, size: number) =>
    pageWith(Array.from({ length: size }, (_, index) => `${name}-${index}`));
  const at = (query: string) => new URLSearchParams(query);
  type Circle = (request: number, query: URLSearchParams) => FetchedPage;
  const size = 100;
  const circles: Record<string, Circle> = {
    'the same page, without links': () => ({ page: pageOf('a', size), next: undefined }),
    'the same page, the link counts on': (request) => ({
      page: pageOf('a', size),
      next: at(`offset=${(request + 1) * size}`),
    }),
    'the same page, another cursor': (request) => ({
      page: pageOf('a', size),
      next: at(`cursor=${request}`),
    }),
    'a link to itself': (_, query) => ({ page: pageOf('a', size), next: new URLSearchParams(query) }),
    'a link to itself, turned round': () => ({ page: pageOf('a', size), next: at('offset=0&limit=100') }),
    'a link without a query': () => ({ page: pageOf('a', size), next: at('') }),
    'A, B, A, B by links': (request) => ({
      page: pageOf('ab'[request % 2] as string, size),
      next: at(`cursor=${'ba'[request % 2]}`),
    }),
    'A, B, A, B, each link new': (request) => ({
      page: pageOf('ab'[request % 2] as string, size),
      next: at(`cursor=${request}`),
    }),
    'A, B, A, B without links': (request) => ({
      page: pageOf('ab'[request % 2] as string, size),
      next: undefined,
    }),
    'A, B, C, A, B, C by offsets': (request) => ({
      page: pageOf('abc'[request % 3] as string, size),
      next: at(`offset=${(request + 1) * size}`),
    }),
    'pages that shrink and grow': (request) => ({
      page: pageOf('a', size - (request % 3)),
      next: at(`cursor=${request}`),
    }),
  };
  const kinds: [string, Paging | undefined][] = [
    ['--all', everything],
    ['a list without paging', undefined],
    ['--limit 1000', { limit: 1_000 }],
  ];
  const cases = kinds.flatMap(([kind, paging]) =>
    Object.entries(circles).map(([name, circle]) => ({ kind, name, paging, circle })),
  );

  it.each(cases)('stops with one warning: $kind, $name', async ({ paging, circle, name }) => {
    const single = paging === undefined && name.includes('without links');
    let request = 0;
    const { ids, warnings, requests } = await readAll((query) => circle(request++, query), {
      paging,
      most: 150,
    });
    expect(warnings).toBe(single ? 0 : 1);
    expect(requests).toBeGreaterThan(0);
    if (paging !== undefined) expect(ids.length).toBe(new Set(ids).size);
  });

  it('of new records is an error if the list has no paging', async () => {
    let request = 0;
    const next = () => ({ page: pageOf(`${request++}`, 50_000), next: at(`cursor=${request}`) });
    await expect(readAll(next, { paging: undefined, most: 25 })).rejects.toThrow(
      'The service sent a list of more than 1,000,000 records, so vals stopped reading the list.',
    );
    expect(request).toBe(21);
  });

  it.each(kinds.slice(0, 2))(
    'with more records in one round than are remembered ends with one warning: %s',
    async (_kind, paging) => {
      let request = 0;
      const circle = () => {
        const page = pageOf(`${request % 400}`, size);
        request += 1;
        return { page, next: at(`cursor=${request % 400}`) };
      };
      expect(await readAll(circle, { paging, most: 1_600 })).toMatchObject({ warnings: 1 });
    },
  );

  it.each(kinds)('with pages of one record in a circle stops with one warning: %s', async (_kind, paging) => {
    let request = 0;
    const circle = () => {
      request += 1;
      return { page: pageOf('abc'[request % 3] as string, 1), next: at(`cursor=${request}`) };
    };
    expect(await readAll(circle, { paging, most: 10_100 })).toMatchObject({ warnings: 1 });
  });

  it.each(kinds)('with empty pages stops at the first empty page: %s', async (_kind, paging) => {
    let request = 0;
    const empty = () => ({ page: pageWith([]), next: at(`cursor=${request++}`) });
    expect(await readAll(empty, { paging, most: 150 })).toEqual({ ids: [], warnings: 0, requests: 1 });
  });

  it.each(kinds)('with empty pages in between stops: %s', async (_kind, paging) => {
    let request = 0;
    const circle = () => {
      request += 1;
      return { page: request % 2 ? pageOf('a', size) : pageWith([]), next: at(`cursor=${request}`) };
    };
    const { ids, requests } = await readAll(circle, { paging, most: 150 });
    expect({ ids: ids.length, requests }).toEqual({ ids: size, requests: 2 });
  });
});
