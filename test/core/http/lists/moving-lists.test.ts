import { expect, it } from 'vitest';
import { type FetchedPage, listPages } from '../../../../src/core/http/lists/pages.ts';
import { budget, chanceOf } from '../../../support/cases.ts';

type Respond = (query: URLSearchParams) => FetchedPage;

async function readAll(respond: Respond, served = async () => {}) {
  const ids: string[] = [];
  let warnings = 0;
  let requests = 0;
  const pages = listPages({
    async fetchPage(query) {
      requests += 1;
      if (requests > 20_000) throw new Error('The list never ends.');
      await served();
      return respond(query);
    },
    filters: new URLSearchParams(),
    paging: { all: true },
    isPaged: true,
    onStuck() {
      warnings++;
    },
  });
  for await (const { records } of pages) for (const { id } of records) ids.push(String(id));
  return { ids, warnings, requests };
}

const at = (query: string) => new URLSearchParams(query);
const recordsOf = (name: string, size: number) =>
  Array.from({ length: size }, (_, index) => ({ id: `${name}-${index}` }));

/** A list of `size` records, to which others come before requests. */
function movingList(seed: number): { size: number; respond: Respond } {
  const { between, fraction, oneOf } = chanceOf(seed * 7_919);
  const isLarge = seed % 3 === 0;
  const cap = isLarge ? 100 : oneOf([2, 3, 5, 10, 50, 99, 100, between(2, 100)]);
  const size = isLarge
    ? between(500, 2_000)
    : oneOf([0, 1, cap, cap + 1, between(0, Math.min(600, 40 * cap))]);
  const hasLinks = fraction() < 0.5;
  const calmRequests = isLarge ? 4 + (seed % 17) : 0;
  let changes = between(1, 15);
  let list = recordsOf('old', size);
  let requests = 0;
  const change = () => {
    if (requests <= calmRequests || changes <= 0 || fraction() < 0.4) return;
    changes -= 1;
    const burst = oneOf([0, 1, between(0, 250), cap - 1, cap, cap + 1, 2 * cap, between(0, cap)]);
    list = [...recordsOf(`new-${requests}`, Math.min(burst, 250, 90 * cap)), ...list];
  };
  const respond: Respond = (query) => {
    change();
    requests += 1;
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(query.get(name))) as [number, number];
    const end = offset + Math.min(cap, limit);
    const next = end < list.length ? at(`limit=${limit}&offset=${end}`) : null;
    return { records: list.slice(offset, end), next: hasLinks ? next : undefined };
  };
  return { size, respond };
}

it('a list that grows while it is read, and is served out of order, gives each record once', async () => {
  const seeds = budget(45);
  let warned = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const { size, respond } = movingList(seed);
    const { between } = chanceOf(seed);
    const late = async () => {
      for (let turns = between(1, 4); turns > 0; turns--) await new Promise(setImmediate);
    };
    const { ids, warnings } = await readAll(respond, late);
    const old = recordsOf('old', size).map(({ id }) => id);
    const given = ids.filter((id) => id.startsWith('old'));
    // A list that moves by more than 20 pages at once ends early, with a warning. Few of the random lists do.
    if (warnings > 0) warned += 1;
    expect({ seed, old: given }).toEqual({ seed, old: warnings > 0 ? old.slice(0, given.length) : old });
    expect({ seed, count: new Set(ids).size }).toEqual({ seed, count: ids.length });
  }
  expect(warned).toBeLessThanOrEqual(seeds / 100);
});

it.each<[what: string, page: (request: number) => FetchedPage]>([
  ['the same page, without links', () => ({ records: recordsOf('a', 100), next: undefined })],
  ['a link to itself', () => ({ records: recordsOf('a', 100), next: at('cursor=a') })],
  ['empty pages', (request) => ({ records: [], next: at(`cursor=${request}`) })],
])('a list that brings nothing new stops with one warning within 25 requests: %s', async (_what, page) => {
  let request = 0;
  const { ids, warnings, requests } = await readAll(() => page(request++));
  expect({ warnings, many: requests > 25 }).toEqual({ warnings: 1, many: false });
  expect(ids.length).toBe(new Set(ids).size);
});
