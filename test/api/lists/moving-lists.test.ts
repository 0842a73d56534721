import { describe, expect, it } from 'vitest';
import { type FetchedPage, listPages, type Paging } from '../../../src/api/lists/pages.ts';
import { budget, chanceOf } from '../../support/cases.ts';

interface Plan {
  seed: number;
  cap: number;
  links: boolean;
  size: number;
  changes: number;
  calm: number;
  late: () => Promise<unknown>;
}

function movingList({ seed, cap, links, size, changes, calm }: Plan) {
  const { between, fraction, oneOf } = chanceOf(seed);
  const initial = Array.from({ length: size }, (_, index) => `old-${index}`);
  let list = [...initial];
  let arrived = 0;
  let requests = 0;

  function change(): void {
    if (requests <= calm || changes <= 0 || fraction() < 0.4) return;
    changes -= 1;
    const burst = oneOf([0, 1, between(0, 250), cap - 1, cap, cap + 1, 2 * cap, between(0, cap)]);
    const most = Math.min(burst, 250, 90 * cap);
    const fresh = Array.from({ length: most }, (_, index) => `new-${arrived + index}`);
    arrived += fresh.length;
    list = [...fresh.toReversed(), ...list];
  }

  return {
    initial,
    page(query: URLSearchParams): { ids: string[]; next: string | null | undefined } {
      change();
      requests += 1;
      const offset = Number(query.get('offset'));
      const end = offset + Math.min(cap, Number(query.get('limit')));
      const ids = list.slice(offset, end);
      const next = end < list.length ? `limit=${query.get('limit')}&offset=${offset + ids.length}` : null;
      return { ids, next: links ? next : undefined };
    },
  };
}

type MovingList = ReturnType<typeof movingList>;

function faults(given: readonly string[], list: MovingList): string[] {
  const once = new Set(given);
  const missed = list.initial.filter((id) => !once.has(id));
  const old = given.filter((id) => id.startsWith('old-')).map((id) => Number(id.slice(4)));
  const isWronglyOrdered = old.some((number, index) => number < (old[index - 1] ?? 0));
  return [
    ...(isWronglyOrdered ? ['in another order'] : []),
    ...(once.size < given.length ? [`${given.length - once.size} twice`] : []),
    ...(missed.length > 0 ? [`${missed.length} of ${list.initial.length} missed, ${missed[0]} first`] : []),
  ];
}

function planOf(seed: number): Plan {
  const { between, oneOf, fraction } = chanceOf(seed * 7_919);
  const cap = oneOf([2, 3, 5, 10, 50, 99, 100, between(2, 100)]);
  return {
    seed,
    cap,
    links: fraction() < 0.5,
    size: oneOf([0, 1, cap, cap + 1, between(0, Math.min(600, 40 * cap))]),
    changes: between(1, 15),
    calm: 0,
    late: () => turnsOfTheLoop(oneOf([1, 1, 2, 3, 4])),
  };
}

async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
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
  const filters = new URLSearchParams();
  const recordsHaveIds = paging !== undefined;
  for await (const page of listPages({ fetchPage: fetch, filters, paging, recordsHaveIds, notes })) {
    for (const { id } of page.records) ids.push(String(id));
  }
  return { ids, warnings, requests };
}

const recordsWith = (ids: readonly string[]) => ids.map((id) => ({ id }));
const everything: Paging = { all: true };

async function tortured(plan: Plan): Promise<string[]> {
  const list = movingList(plan);
  const { ids, warnings } = await readAll(
    (query) => {
      const { ids, next } = list.page(query);
      return { records: recordsWith(ids), next: typeof next === 'string' ? new URLSearchParams(next) : next };
    },
    { paging: everything, most: 20_000, served: plan.late },
  );
  const found = faults(ids, list);
  return found.length === 0
    ? []
    : [`${JSON.stringify(plan)}: ${found.join(', ')}${warnings ? ', with a warning' : ''}`];
}

describe('a list that grows while it is read', () => {
  it('gives each record once in random orders', async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= budget(60); seed++) found.push(...(await tortured(planOf(seed))));
    expect(found).toEqual([]);
  });

  it('gives each record once if pages are requested early and served out of order', async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= budget(40); seed++) {
      const { between } = chanceOf(seed);
      const plan = { ...planOf(seed), cap: 100, size: between(500, 3_000), calm: between(4, 20) };
      found.push(...(await tortured(plan)));
    }
    expect(found).toEqual([]);
  });
});

describe('a list that brings nothing new', () => {
  const pageOf = (name: string, size: number) =>
    recordsWith(Array.from({ length: size }, (_, index) => `${name}-${index}`));
  const at = (query: string) => new URLSearchParams(query);
  type Circle = (request: number, query: URLSearchParams) => FetchedPage;
  const size = 100;
  const circles: Record<string, Circle> = {
    'the same page, without links': () => ({ records: pageOf('a', size), next: undefined }),
    'the same page, the link counts on': (request) => ({
      records: pageOf('a', size),
      next: at(`offset=${(request + 1) * size}`),
    }),
    'the same page, another cursor': (request) => ({
      records: pageOf('a', size),
      next: at(`cursor=${request}`),
    }),
    'a link to itself': () => ({ records: pageOf('a', size), next: at('cursor=a') }),
    'A, B, A, B by links': (request) => ({
      records: pageOf('ab'[request % 2] as string, size),
      next: at(`cursor=${'ba'[request % 2]}`),
    }),
  };
  const kinds: [string, Paging | undefined][] = [
    ['--all', everything],
    ['a list without paging', undefined],
  ];
  const cases = kinds.flatMap(([kind, paging]) =>
    Object.entries(circles).map(([name, circle]) => ({ kind, name, paging, circle })),
  );

  it.each(cases)('stops with one warning: $kind, $name', async ({ paging, circle, name }) => {
    const isSingle = paging === undefined && name.includes('without links');
    let request = 0;
    const { ids, warnings } = await readAll((query) => circle(request++, query), { paging, most: 110 });
    expect(warnings).toBe(isSingle ? 0 : 1);
    expect(ids.length).toBe(new Set(ids).size);
  });

  it.each(kinds)('goes on after an empty page with a new link: %s', async (_kind, paging) => {
    const pages = [pageOf('a', 2), [], [], pageOf('b', 1)];
    let request = 0;
    const next = () => ({
      records: pages[request] ?? [],
      next: ++request < 4 ? at(`cursor=${request}`) : null,
    });
    expect(await readAll(next, { paging, most: 10 })).toEqual({
      ids: ['a-0', 'a-1', 'b-0'],
      warnings: 0,
      requests: 4,
    });
  });

  it.each(kinds)('ends after many empty pages: %s', async (_kind, paging) => {
    let request = 0;
    const empty = () => ({ records: [], next: at(`cursor=${request++}`) });
    expect(await readAll(empty, { paging, most: 20 })).toMatchObject({ ids: [], warnings: 0 });
  });
});
