import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { forEachAtMost } from '../../support/cases.ts';
import {
  environment,
  program,
  runQuickly as run,
  runOnScreen,
  temporaryFolder,
} from '../../support/program.ts';
import {
  type Reply,
  type ScriptedService,
  type Seen,
  scriptedService,
  testToken,
} from '../../support/scripted-service.ts';
import { withResolvers } from '../../support/with-resolvers.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

type Row = Record<string, unknown>;
const rows = (count: number, prefix = 'r'): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, name: `n${index}` }));

type Envelope = (page: Row[], next: string | undefined) => unknown;

const envelopes: Record<string, Envelope> = {
  array: (page) => page,
  'data, links': (data, next) => ({ data, links: { self: 'x', ...(next && { next }) } }),
};

const queryOf = ({ path }: Seen) => new URL(path, 'http://x.example').searchParams;

function pageOf(all: readonly Row[], seen: Seen, { envelope = 'array', cap = 100, host = '' } = {}): Reply {
  const query = queryOf(seen);
  const limit = Math.min(Number(query.get('limit')), cap);
  const end = Number(query.get('offset')) + limit;
  query.set('offset', String(end));
  const next = end < all.length ? `${host}${seen.path.replace(/\?.*/, '')}?${query}` : undefined;
  return { body: envelopes[envelope]?.(all.slice(end - limit, end), next) };
}

const moreNote = 'There are more records. To see them, add --limit N or --all.\n';
const maybeMoreNote = moreNote.replace('are', 'may be');
const listed = (stdout: string): unknown[] => JSON.parse(stdout);
const paths = (service: ScriptedService): string[] => service.requests.map(({ path }) => path);

describe.each(Object.keys(envelopes))('with the envelope %s', (envelope) => {
  const all = rows(250);
  const saysTheEnd = envelope === 'data, links';
  const note = saysTheEnd ? moreNote : maybeMoreNote;
  const args = ['comments'];
  const request = (limit: number, offset: number) =>
    `/v1/me/comments?relationship=any&limit=${limit}&offset=${offset}`;
  const sorted = (text: string) =>
    text.replace(/\?.*/, (query) => `?${query.slice(1).split('&').sort().join('&')}`);
  const expectRequests = (service: ScriptedService, expected: [limit: number, offset: number][]) =>
    expect(paths(service).map(sorted)).toEqual(expected.map((each) => sorted(request(...each))));

  it(`a list supports --limit, --offset and --all`, async () => {
    const cases: { more: string[]; shown: Row[]; requests: [number, number][] }[] = [
      { more: [], shown: all.slice(0, 20), requests: [[20, 0]] },
      { more: ['--limit', '100'], shown: all.slice(0, 100), requests: [[100, 0]] },
      {
        more: ['--limit', '230', '--offset', '7'],
        shown: all.slice(7, 237),
        requests: [
          [100, 7],
          [100, 107],
          [30, 207],
        ],
      },
      {
        more: ['--all', '--offset', '40'],
        shown: all.slice(40),
        requests: [
          [100, 40],
          [100, 140],
          [100, 240],
          ...(saysTheEnd ? [] : [[100, 250] as [number, number]]),
        ],
      },
    ];
    await forEachAtMost(2, cases, async ({ more, shown, requests }) => {
      const service = await scriptedService([], (seen) => pageOf(all, seen, { envelope }));
      const { exit, stdout, stderr } = await run([...args, ...more, '--json'], { env: service.env });
      const isCut = shown.at(-1) !== all.at(-1);
      expect({ more, exit, stderr }).toEqual({ more, exit: 0, stderr: isCut ? note : '' });
      expect(listed(stdout)).toEqual(shown);
      expectRequests(service, requests);
    });
  });

  it(`a list reads all pages of a service that sends at most ten records at a time`, async () => {
    const few = all.slice(0, 32);
    const service = await scriptedService([], (seen) => pageOf(few, seen, { envelope, cap: 10 }));
    const limited = await run([...args, '--limit', '25', '--json'], { env: service.env });
    expect(limited).toMatchObject({ exit: 0, stderr: note });
    expect(listed(limited.stdout)).toEqual(few.slice(0, 25));
    expectRequests(service, [
      [25, 0],
      [15, 10],
      [5, 20],
    ]);
    service.requests.length = 0;
    const everything = await run([...args, '--all', '--ndjson'], { env: service.env });
    expect(everything).toMatchObject({ exit: 0, stderr: '' });
    expect(everything.stdout).toBe(few.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expectRequests(service, [
      [100, 0],
      [100, 10],
      [100, 20],
      [100, 30],
      ...(saysTheEnd ? [] : [[100, 32] as [number, number]]),
    ]);
  });
});

describe('the end of a list', () => {
  const page = (prefix: string, count: number) => rows(count, prefix);

  it('is an empty page, because a short page proves nothing', async () => {
    const pages = [page('a', 3), page('b', 1), page('c', 100), page('d', 2), []];
    const service = await scriptedService(pages.map((body) => ({ body })));
    const { exit, stdout, stderr } = await run(['runs', '--all', '--json'], { env: service.env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(listed(stdout)).toEqual(pages.flat());
    expect(service.requests.map((seen) => queryOf(seen).get('offset'))).toEqual([
      '0',
      '3',
      '4',
      '104',
      '106',
    ]);
  });

  it.each([
    { name: 'no next', links: { self: 'x', prev: 'y' } },
    { name: 'a next that is null', links: { next: null } },
    { name: 'a next that is empty', links: { next: '' } },
  ])('is a page with $name, even if the page is full', async ({ links }) => {
    const first = page('a', 1);
    const last = page('b', 100);
    const service = await scriptedService([
      { body: { data: first, links: { next: '?offset=1' } } },
      { body: { data: last, links } },
    ]);
    const { exit, stdout, stderr } = await run(['likes', '--all', '--json'], { env: service.env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(listed(stdout)).toEqual([...first, ...last]);
  });

  const repeating: { name: string; args: string[]; body: unknown; count: number }[] = [
    { name: 'ignores the offset', args: ['runs', '--all'], body: page('a', 20), count: 20 },
    {
      name: 'has records without ids',
      args: ['comments', '--all'],
      body: { items: [{ n: 1 }, { n: 1.5 }] },
      count: 2,
    },
  ];
  it.each(repeating)('is a repeated page: a service $name', async ({ args, body, count }) => {
    const service = await scriptedService([], () => ({ body }));
    const { exit, stdout, stderr } = await run([...args, '--json'], { env: service.env });
    expect({ exit, count: listed(stdout).length }).toEqual({ exit: 0, count });
    expect(stderr).toMatch(/^warning: .+\n$/);
  });
});

describe('links.next', () => {
  it('gives only its query, and no other host, scheme or path is requested', async () => {
    const elsewhere = await scriptedService([]);
    const page = (row: string, next?: string) => ({ body: { data: [{ id: row }], links: { next } } });
    const service = await scriptedService([
      page('a', `${elsewhere.baseUrl}/v1/me/runs?offset=1&limit=1`),
      page('b', 'http://stranger.invalid/v2/other?offset=2'),
      page('c', '//stranger.invalid/?offset=3'),
      page('d', '?offset=4#top'),
      page('e', 'javascript:alert(1)?offset=5'),
      page('f', '/v1/me?offset=6'),
      { body: { data: [{ id: 'g' }], links: { next: { href: `${elsewhere.baseUrl}/?offset=7` } } } },
      page('h'),
    ]);
    const env = { ...service.env, VALS_BASE_URL: `${service.baseUrl}/behind/a/path/v1/` };
    const { exit, stdout, stderr } = await run(['runs', '--all', '--ndjson', '--fields', 'id'], { env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toBe([...'abcdefgh'].map((row) => `{"id":"${row}"}\n`).join(''));
    expect(elsewhere.requests).toEqual([]);
    expect(paths(service).map((path) => path.replace(/\?.*/, ''))).toEqual(
      Array.from({ length: 8 }, () => '/behind/a/path/v1/me/runs'),
    );
    expect(service.requests.map((seen) => queryOf(seen).get('offset'))).toEqual([...'01234567']);
  });

  it('with a position is followed page by page while records arrive and vanish', async () => {
    const old = rows(2_000, 'old');
    let all = old;
    const service = await scriptedService([], (seen) => {
      const after = queryOf(seen).get('after');
      const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
      const page = all.slice(start, start + 100);
      const next = start + 100 < all.length ? `?limit=100&after=${page.at(-1)?.id}` : undefined;
      const reply = { body: envelopes['data, links']?.(page, next) };
      all = [...rows(3, `new${all.length}-`), ...all.slice(start + page.length - 1)];
      return reply;
    });
    const { exit, stdout, stderr } = await run(['runs', '--all', '--ndjson', '--fields', 'id'], {
      env: service.env,
    });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toEqual(old.map(({ id }) => `{"id":"${id}"}`));
    const [first, ...others] = service.requests.map(queryOf);
    expect(first?.get('offset')).toBe('0');
    expect(others).toHaveLength(19);
    expect(others.every((query) => query.has('after') && !query.has('offset'))).toBe(true);
  });

  it('keeps the filters, whether the link repeats them or not', async () => {
    const service = await scriptedService([
      { body: { data: [{ id: 'a' }], links: { next: '?cursor=one' } } },
      { body: { data: [{ id: 'b' }], links: { next: '?cursor=t%26w%3Do&error=false' } } },
      { body: { data: [{ id: 'c' }], links: {} } },
    ]);
    const filters = ['--no-error', '--since', '2026-01-01', '--until', '2026-02-01T00:00:00Z'];
    const { exit } = await run(['runs', '--all', ...filters, '--json'], { env: service.env });
    expect(exit).toBe(0);
    const kept = { error: 'false', since: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' };
    expect(service.requests.map((seen) => Object.fromEntries(queryOf(seen)))).toEqual([
      { ...kept, limit: '100', offset: '0' },
      { ...kept, limit: '100', cursor: 'one' },
      { ...kept, limit: '100', cursor: 't&w=o' },
    ]);
  });

  it('is used whole, even if it has a parameter twice', async () => {
    const service = await scriptedService([
      { body: { data: [{ id: 'a' }], links: { next: '?after=1&after=2' } } },
      { body: { data: [{ id: 'b' }], links: {} } },
    ]);
    expect(await run(['refs', '--json'], { env: service.env })).toMatchObject({ exit: 0 });
    expect(paths(service)).toEqual(['/v1/me/references', '/v1/me/references?after=1&after=2']);
  });

  it.each(['?offset=1&limit=500', '?cursor=one&limit=101'])(
    'never makes the client request more than a hundred records: %s',
    async (next) => {
      const service = await scriptedService([
        { body: { data: [{ id: 'a' }], links: { next } } },
        { body: { data: [{ id: 'b' }], links: {} } },
      ]);
      expect(await run(['likes', '--all', '--json'], { env: service.env })).toMatchObject({ exit: 0 });
      expect(Number(queryOf(service.requests[1] as Seen).get('limit'))).toBeLessThanOrEqual(100);
    },
  );

  it('that is not an address is an error, not the end of the list', async () => {
    const service = await scriptedService([{ body: { data: [{ id: 'a' }], links: { next: 7 } } }]);
    const { exit, stdout, error } = await run(['likes', '--all', '--json'], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(error).toMatchObject({ kind: 'bad_response' });
  });

  const unpaged: [args: string[], path: string][] = [
    [['refs'], '/v1/me/references'],
    [['version', 'ls', id], `/v1/vals/${id}/versions`],
  ];
  it.each(unpaged)('of %s is followed, and nothing is added to the query', async (args, path) => {
    const pages = [rows(1, 'a'), rows(120, 'b'), rows(2, 'c')];
    const links = [{ next: 'http://x.example/?page=2' }, { next: `${path}?page=3&size=9` }, {}];
    const service = await scriptedService(
      pages.map((data, index) => ({ body: { data, links: links[index] } })),
    );
    const { exit, stdout, stderr } = await run([...args, '--json'], { env: service.env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(listed(stdout)).toEqual(pages.flat());
    expect(paths(service)).toEqual([path, `${path}?page=2`, `${path}?page=3&size=9`]);
  });

  it.each(unpaged)('that is missing makes the first page of %s the whole list', async (args, path) => {
    for (const body of [rows(130), { data: rows(130) }, { items: rows(130), links: {} }]) {
      const service = await scriptedService([{ body }]);
      const { exit, stdout } = await run([...args, '--json'], { env: service.env });
      expect({ exit, rows: listed(stdout) }).toEqual({ exit: 0, rows: rows(130) });
      expect(paths(service)).toEqual([path]);
    }
  });
});

it.each(['likes', 'refs'])('%s follows no link that contains the token', async (command) => {
  for (const next of [`?offset=1&t=${testToken}`, `?${testToken}=1`, `?t=%74${testToken.slice(1)}`]) {
    const service = await scriptedService([{ body: { data: [{ id: 'a' }], links: { next } } }]);
    const { exit, stderr } = await run([command, '--limit', '5'].slice(0, command === 'refs' ? 1 : 3), {
      env: service.env,
    });
    expect({ exit, stderr }).toEqual({
      exit: 11,
      stderr: expect.stringContaining('sent your token in the link to the next page'),
    });
  }
});

describe('a list that fails half-way', () => {
  const first = { data: rows(3, 'a'), links: { next: '?offset=3' } };
  const failures: { name: string; replies: Reply[]; exit: number; kind: string }[] = [
    { name: 'a refused token', replies: [{ status: 401 }], exit: 4, kind: 'auth' },
    { name: 'an unknown shape', replies: [{ body: {} }], exit: 11, kind: 'bad_response' },
    {
      name: 'a service gone down',
      replies: Array.from({ length: 4 }, () => ({ status: 503 })),
      exit: 7,
      kind: 'unavailable',
    },
  ];

  it.each(failures)(
    '$name: --ndjson keeps the lines that it wrote, other formats print nothing',
    async ({ replies, exit, kind }) => {
      const formats: [string[], string][] = [
        [['--ndjson'], first.data.map((row) => `${JSON.stringify(row)}\n`).join('')],
        [['--ndjson', '--fields', 'id'], first.data.map(({ id }) => `{"id":"${id}"}\n`).join('')],
        [['--json'], ''],
        [[], ''],
      ];
      await forEachAtMost(4, formats, async ([format, printed]) => {
        const service = await scriptedService([{ body: first }, ...replies]);
        const result = await run(['runs', '--all', ...format], { env: service.env });
        const { stdout, stderr, error } = result;
        expect({ format, exit: result.exit, stdout }).toEqual({ format, exit, stdout: printed });
        expect(service.requests).toHaveLength(1 + replies.length);
        if (format.length === 0) expect(stderr).toMatch(/^error: .+\nhint: .+\n$/);
        else expect(error).toMatchObject({ kind, exit, method: 'GET', path: '/v1/me/runs' });
      });
    },
  );

  it('with --ndjson is written page by page, before the next page arrives', async () => {
    const { promise: read, resolve: firstLineRead } = withResolvers();
    const service = await scriptedService([
      { body: first },
      (response) => void read.then(() => response.end(JSON.stringify({ data: rows(1, 'b'), links: {} }))),
    ]);
    const home = temporaryFolder();
    const child = execa(process.execPath, [program, 'runs', '--ndjson', '--timeout', '10'], {
      env: environment(home, service.env),
      extendEnv: false,
      cwd: home,
      reject: false,
    });
    child.stdout.once('data', firstLineRead);
    const { exitCode, stdout } = await child;
    expect({ exitCode, lines: stdout.split('\n').length }).toEqual({ exitCode: 0, lines: 4 });
  });
});

describe('a number of records', () => {
  const senseless = [
    ['runs', '--limit', '5', '--all'],
    ['comments', '--limit', '0'],
    ['val', 'runs', id, '--limit', '-1'],
    ['runs', '--limit', '1.5'],
    ['runs', '--limit', '99999999999999999999'],
    ['runs', '--offset', '-1'],
    ['refs', '--limit', '5'],
    ['version', 'ls', id, '--all'],
  ];
  it('that makes no sense is refused, and nothing is sent', async () => {
    const service = await scriptedService([]);
    await forEachAtMost(3, senseless, async (args) => {
      const { exit, stdout, error } = await run([...args, '--json'], { env: service.env });
      expect({ args, exit, stdout, kind: error?.kind }).toEqual({ args, exit: 2, stdout: '', kind: 'usage' });
    });
  });

  it('that is smaller than the list is mentioned, at a terminal and in a pipe', async () => {
    const body = { data: rows(2), links: { next: '?offset=2' } };
    const service = await scriptedService([], (seen) =>
      queryOf(seen).get('limit') === '100' ? { body: { data: rows(2), links: {} } } : { body },
    );
    const more = /There are more/;
    const atTerminal = (...args: string[]) => runOnScreen(['runs', ...args], { env: service.env });
    expect((await atTerminal('--limit', '2')).screen).toMatch(more);
    expect((await atTerminal('--limit', '1')).screen).toMatch(more);
    expect((await atTerminal('--limit', '2', '--quiet')).screen).not.toMatch(more);
    expect((await atTerminal('--all')).screen).not.toMatch(more);
    expect(await run(['runs', '--limit', '2'], { env: service.env })).toMatchObject({
      exit: 0,
      stderr: moreNote,
    });
    const quiet = await run(['runs', '--limit', '2', '--quiet'], { env: service.env });
    expect(quiet).toMatchObject({ exit: 0, stderr: '' });
  });
});

it('a short page in the middle of a long list loses no record, although later pages were already requested', async () => {
  const all = rows(2_000);
  const service = await scriptedService([], (seen) => {
    const isShort = queryOf(seen).get('offset') === '900';
    return pageOf(all, seen, { cap: isShort ? 50 : 100 });
  });
  const { exit, stdout } = await run(['runs', '--all', '--json'], { env: service.env });
  expect({ exit, runs: listed(stdout) }).toEqual({ exit: 0, runs: all });
  const asked = paths(service).map((path) => path.replace(/.*offset=/, ''));
  expect(asked).toEqual(expect.arrayContaining(['1000', '950', '1050']));
});

it('a record that arrives while pages are requested ahead hides no other record', async () => {
  const all = rows(2_000);
  let answerHeld = () => {};
  let hasArrived = false;
  const service = await scriptedService([], (seen) => {
    const offset = queryOf(seen).get('offset');
    const now = () => pageOf(hasArrived ? [{ id: 'new' }, ...all] : all, seen);
    if (offset === '1000') {
      const page = now();
      hasArrived = true;
      answerHeld();
      return page;
    }
    if (offset !== '900' || hasArrived) return now();
    return (response) => {
      answerHeld = () => response.end(JSON.stringify((now() as { body: unknown }).body));
    };
  });
  const { exit, stdout } = await run(['runs', '--limit', '1500', '--json'], { env: service.env });
  expect({ exit, runs: listed(stdout) }).toEqual({ exit: 0, runs: all.slice(0, 1_500) });
});
