import { describe, expect, it } from 'vitest';
import { runQuickly as run, startProcess } from '../../../support/program.ts';
import {
  pageOf,
  type ScriptedService,
  type Seen,
  scriptedService,
  testToken,
} from '../../../support/scripted-service.ts';
import { withResolvers } from '../../../support/with-resolvers.ts';

type Row = Record<string, unknown>;
const rows = (count: number, prefix = 'r'): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, name: `n${index}` }));

const page = (data: Row[], next?: string) => ({
  body: { data, links: { self: 'x', ...(next && { next }) } },
});
const queryOf = ({ path }: Seen) => new URL(path, 'http://x.example').searchParams;
const queriesOf = ({ requests }: ScriptedService) =>
  requests.map((seen) => Object.fromEntries(queryOf(seen)));
const offsetsOf = (service: ScriptedService) => queriesOf(service).map(({ offset }) => Number(offset));
const pathsOf = ({ requests }: ScriptedService) => requests.map(({ path }) => path);

const moreNote = 'There are more records. To see them, add --limit N or --all.\n';
const listed = (stdout: string): unknown[] => JSON.parse(stdout);

describe.each([true, false])('in a service that sends links (%s)', (hasLinks) => {
  const all = rows(250);
  const note = hasLinks ? moreNote : moreNote.replace('are', 'may be');
  // Without a link, only an empty page is the end.
  const end = (offset: number) => (hasLinks ? [] : [`100 from ${offset}`]);

  it.each<[args: string, shown: Row[], requests: string[]]>([
    ['', all.slice(0, 20), ['20 from 0']],
    ['--limit 230 --offset 7', all.slice(7, 237), ['100 from 7', '100 from 107', '30 from 207']],
    ['--all --offset 40', all.slice(40), ['100 from 40', '100 from 140', '100 from 240', ...end(250)]],
  ])('%j gives the wanted records', async (args, shown, requests) => {
    const service = await scriptedService([], (seen) => pageOf(all, seen, { hasLinks }));
    const words = args.split(' ').filter(Boolean);
    const { exit, stdout, stderr } = await run(['comments', ...words, '--json'], { env: service.env });
    const isCut = shown.at(-1) !== all.at(-1);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: isCut ? note : '' });
    expect(listed(stdout)).toEqual(shown);
    const asked = queriesOf(service).map(({ limit, offset }) => `${limit} from ${offset}`);
    expect(asked).toEqual(requests);
  });
});

describe('the end of a list', () => {
  it('is an empty page, because a short page proves nothing', async () => {
    const pages = [rows(3, 'a'), rows(1, 'b'), rows(100, 'c'), rows(2, 'd'), []];
    const service = await scriptedService(pages.map((body) => ({ body })));
    const { exit, stdout } = await run(['runs', '--all', '--json'], { env: service.env });
    expect({ exit, rows: listed(stdout) }).toEqual({ exit: 0, rows: pages.flat() });
    expect(offsetsOf(service)).toEqual([0, 3, 4, 104, 106]);
  });

  it.each([{ prev: 'y' }, { next: null }])(
    'is a page with the links %j, even if the page is full',
    async (links) => {
      const pages = [page(rows(1, 'a'), '?offset=1'), { body: { data: rows(100, 'b'), links } }];
      const service = await scriptedService(pages);
      const { exit, stdout } = await run(['likes', '--all', '--json'], { env: service.env });
      expect({ exit, count: listed(stdout).length }).toEqual({ exit: 0, count: 101 });
    },
  );
});

describe('links.next', () => {
  it('gives only its query, and no other host, scheme or path is requested', async () => {
    const elsewhere = await scriptedService([]);
    const links = [
      `${elsewhere.baseUrl}/v1/me/runs?offset=1&limit=1`,
      'http://stranger.invalid/v2/other?offset=2',
      '//stranger.invalid/?offset=3',
      '?offset=4#top',
      'javascript:alert(1)?offset=5',
      '/v1/me?offset=6',
      `${elsewhere.baseUrl}/?offset=7`,
      undefined,
    ];
    const service = await scriptedService(
      links.map((next, index) => ({ body: { data: [{ id: index }], links: { next } } })),
    );
    const env = { ...service.env, VALS_BASE_URL: `${service.baseUrl}/behind/a/path/v1/` };
    const { exit, stdout } = await run(['runs', '--all', '--json', '--fields', 'id'], { env });
    expect({ exit, rows: listed(stdout) }).toEqual({ exit: 0, rows: links.map((_, id) => ({ id })) });
    expect(elsewhere.requests).toEqual([]);
    for (const path of pathsOf(service)) expect(path).toMatch(/^\/behind\/a\/path\/v1\/me\/runs\?/);
    expect(offsetsOf(service)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('keeps the filters, whether the link repeats them or not', async () => {
    const service = await scriptedService([
      page([{ id: 'a' }], '?cursor=one'),
      page([{ id: 'b' }], '?cursor=t%26w%3Do&error=false'),
      page([{ id: 'c' }]),
    ]);
    const filters = ['--no-error', '--since', '2026-01-01T00:00:00Z', '--until', '2026-02-01T00:00:00Z'];
    expect(await run(['runs', '--all', ...filters], { env: service.env })).toMatchObject({ exit: 0 });
    const kept = { error: 'false', since: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' };
    expect(queriesOf(service)).toEqual([
      { ...kept, limit: '100', offset: '0' },
      { ...kept, limit: '100', cursor: 'one' },
      { ...kept, limit: '100', cursor: 't&w=o' },
    ]);
  });

  it('of references is followed as it is, and nothing is added to the query', async () => {
    const pages = [rows(1, 'a'), rows(120, 'b'), rows(2, 'c')];
    const path = '/v1/me/references';
    const links = ['http://x.example/?page=2', `${path}?page=3&size=9&size=8`];
    const service = await scriptedService(pages.map((data, index) => page(data, links[index])));
    const { exit, stdout } = await run(['refs', '--json'], { env: service.env });
    expect({ exit, rows: listed(stdout) }).toEqual({ exit: 0, rows: pages.flat() });
    expect(pathsOf(service)).toEqual([path, `${path}?page=2`, `${path}?page=3&size=9&size=8`]);
  });

  it('is not followed if it contains the token', async () => {
    for (const next of [`?offset=1&t=${testToken}`, `?${testToken}=1`, `?t=%74${testToken.slice(1)}`]) {
      const service = await scriptedService([page([{ id: 'a' }], next)]);
      expect(await run(['likes'], { env: service.env })).toMatchObject({
        exit: 10,
        stderr: expect.stringContaining('contains your token, so it was not sent'),
      });
    }
  });
});

describe('a list that fails half-way', () => {
  const first = rows(3, 'a');

  it.each<[format: string[], printed: string]>([
    [['--ndjson'], first.map((row) => `${JSON.stringify(row)}\n`).join('')],
    [[], first.map(({ id }) => `\t\t\t\t\t${id}\n`).join('')],
    [['--json'], ''],
  ])('keeps with %j only the lines that were written', async (format, printed) => {
    const replies = [page(first, '?offset=3'), ...Array(4).fill({ status: 503 })];
    const service = await scriptedService(replies);
    const result = await run(['runs', '--all', ...format], { env: service.env });
    expect(result).toMatchObject({ exit: 7, stdout: printed });
    expect(service.requests).toHaveLength(replies.length);
  });

  it('is written page by page, before the next page arrives', async () => {
    const { promise: read, resolve: firstLineRead } = withResolvers();
    const service = await scriptedService([
      page(first, '?offset=3'),
      (response) => void read.then(() => response.end(JSON.stringify(page(rows(1, 'b')).body))),
    ]);
    const { child, ended } = startProcess(['runs'], { env: service.env });
    child.stdout?.once('data', firstLineRead);
    const { exit, stdout } = await ended;
    expect({ exit, lines: stdout.trimEnd().split('\n').length }).toEqual({ exit: 0, lines: 4 });
  });
});

it('with --quiet, nothing says that there are more records', async () => {
  const { env } = await scriptedService([page(rows(2), '?offset=2')]);
  expect(await run(['runs', '--limit', '2', '--quiet'], { env })).toMatchObject({ exit: 0, stderr: '' });
});
