import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { follow } from '../../../src/api/lists/follow.ts';
import { BadResponseError, InterruptedError, UnavailableError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { budget } from '../../support/cases.ts';
import { inProcess } from '../../support/in-process.ts';
import { exitStatus, run, startProcess, temporaryFolder } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
import { fastClock, runFastClock } from '../http/faults/harness.ts';

runFastClock();

interface Change {
  arrive: number;
  depth?: number;
  vanish?: number[];
}

interface Look extends Change {
  during: Change[];
  awayAt?: number;
}

interface Plan {
  start: number;
  last: number;
  cap: number;
  links: boolean;
  ids: boolean;
  looks: Look[];
}

interface Followed {
  given: string[];
  old: string[];
  arrived: string[];
  left: Set<string>;
  notes: string[];
  waits: number[];
  requests: number;
  error: unknown;
}

async function followPlan(plan: Plan, failWith?: Error): Promise<Followed> {
  const { start, last, cap, links, ids, looks } = plan;
  const controller = new AbortController();
  const arrived: string[] = [];
  const old = Array.from({ length: start }, (_, index) => `old-${index}`);
  let list = old.toReversed();
  const apply = ({ arrive, depth = 0, vanish = [] }: Change) => {
    const fresh = Array.from({ length: arrive }, (_, index) => `new-${arrived.length + index}`);
    arrived.push(...fresh);
    const gone = new Set(vanish.map((place) => list[place]));
    list = [...list.slice(0, depth), ...fresh.toReversed(), ...list.slice(depth)].filter(
      (id) => !gone.has(id),
    );
  };

  let look = -1;
  let request = 0;
  let requests = 0;
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after(ms, callback) {
      waits.push(ms);
      look += 1;
      request = 0;
      if (look === looks.length + 4) controller.abort(new InterruptedError(130));
      const planned = looks[look];
      if (planned) apply(planned);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
  const fetchPage = async (query: URLSearchParams) => {
    const planned = looks[look];
    const change = planned?.during[request - 1];
    if (change) apply(change);
    request += 1;
    requests += 1;
    if (planned?.awayAt === request - 1) throw failWith ?? new UnavailableError('away');
    const offset = Number(query.get('offset'));
    const page = list.slice(offset, offset + Math.min(cap, Number(query.get('limit'))));
    const end = offset + page.length;
    const next = end < list.length ? new URLSearchParams({ offset: `${end}` }) : null;
    const record = (name: string): JsonObject => (ids ? { id: name } : { name });
    return { records: page.map(record), next: links ? next : undefined };
  };

  const given: string[] = [];
  const notes: string[] = [];
  let error: unknown;
  try {
    const pages = follow({
      last,
      clock,
      signal: controller.signal,
      notes: {
        serviceIsAway: () => notes.push('away'),
        serviceIsBack: () => notes.push('back'),
        tooManyRecords: () => notes.push('too many'),
      },
      fetchPage,
      filters: new URLSearchParams(),
    });
    for await (const page of pages) for (const { id, name } of page.records) given.push(String(id ?? name));
  } catch (thrown) {
    error = thrown;
  }
  return { given, old, arrived, left: new Set(list), notes, waits, requests, error };
}

const burst = fc.oneof(
  { weight: 4, arbitrary: fc.nat(5) },
  { weight: 1, arbitrary: fc.constantFrom(99, 100, 101, 199, 200, 250, 340) },
);
const change = fc.record({ arrive: fc.nat(5) });
const service = {
  start: fc.constantFrom(0, 1, 5, 99, 100, 101, 180),
  last: fc.constantFrom(1, 10, 150),
  cap: fc.constantFrom(7, 20, 100),
  links: fc.boolean(),
};
const awayAt = fc.option(fc.nat(4), { nil: undefined });
const runs = { numRuns: budget(60) };

describe('following a list', () => {
  it('gives the last records, then each new record once and in order', async () => {
    const looks = fc.array(fc.record({ arrive: burst, during: fc.array(change, { maxLength: 4 }), awayAt }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.record({ ...service, ids: fc.boolean(), looks }), async (plan) => {
        const { given, old, arrived, error, notes } = await followPlan(plan);
        expect(error).toMatchObject({ exit: 130 });
        expect(given).toEqual([...old.slice(-plan.last), ...arrived]);
        expect(notes.join(' ')).toMatch(/^(away back ?)*$/);
      }),
      runs,
    );
  });

  it('takes no old record for a new one if records vanish between two looks', async () => {
    const looks = fc.array(
      fc.record({
        arrive: burst,
        vanish: fc.array(fc.nat(60), { maxLength: 30 }),
        during: fc.constant<Change[]>([]),
        awayAt,
      }),
      { maxLength: 6 },
    );
    const start = fc.constantFrom(0, 50, 99, 100, 101, 300);
    await fc.assert(
      fc.asyncProperty(fc.record({ ...service, start, ids: fc.constant(true), looks }), async (plan) => {
        const { given, old, arrived, left } = await followPlan(plan);
        const once = new Set(given);
        const first = new Set(old.slice(-plan.last));
        expect(given.length).toBe(once.size);
        expect(given.filter((id) => id.startsWith('old-') && !first.has(id))).toEqual([]);
        expect(arrived.filter((id) => left.has(id) && !once.has(id))).toEqual([]);
      }),
      runs,
    );
  });

  it('finds records that arrive below others, as far down as one request reaches', async () => {
    const looks = fc.array(
      fc.record({ arrive: fc.nat(5), depth: fc.nat(60), during: fc.constant<Change[]>([]) }),
      {
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ...service, cap: fc.constant(100), ids: fc.constant(true), looks }),
        async (plan) => {
          const { given, old, arrived } = await followPlan(plan);
          expect(given.length).toBe(new Set(given).size);
          expect([...given].sort()).toEqual([...old.slice(-plan.last), ...arrived].sort());
        },
      ),
      runs,
    );
  });

  it('sends one request if nothing changed', async () => {
    const quiet = { arrive: 0, during: [] };
    const plan = { start: 500, last: 1, cap: 100, links: true, ids: true };
    const idle = await followPlan({ ...plan, looks: Array(20).fill(quiet) });
    expect({ given: idle.given.length, requests: idle.requests }).toEqual({ given: 1, requests: 25 });
  });

  it('gives the newest 10,000 records, and says so, if more have arrived', async () => {
    const looks = [10_001, 0, 5].map((arrive) => ({ arrive, during: [] }));
    const plan = { start: 5, last: 1, cap: 100, links: true, ids: true, looks };
    const { given, arrived, notes } = await followPlan(plan);
    expect(given).toEqual(['old-4', ...arrived.slice(1)]);
    expect(notes).toEqual(['too many']);
  });
});

describe('while the service is away', () => {
  const away = { arrive: 1, during: [], awayAt: 0 };
  const plan = { start: 5, last: 5, cap: 100, links: true, ids: true };

  it('the client looks less and less often, up to every 30 s, and every 2 s again when the service is back', async () => {
    const { given, waits, notes } = await followPlan({ ...plan, looks: Array(6).fill(away) });
    expect(waits).toEqual([2, 4, 8, 16, 30, 30, 30, 2, 2, 2, 2].map((seconds) => seconds * 1_000));
    expect(notes).toEqual(['away', 'back']);
    expect(given.length).toBe(11);
  });

  it('any other error ends the command at once', async () => {
    const { error, notes } = await followPlan({ ...plan, looks: [away] }, new BadResponseError('nonsense'));
    expect(error).toBeInstanceOf(BadResponseError);
    expect(notes).toEqual([]);
  });
});

const runOf = (id: string, more: object = {}) => ({
  id,
  val: { name: 'hello', version: 1 },
  runStartAt: '2026-01-31T09:30:00Z',
  runEndAt: '2026-01-31T09:30:01Z',
  error: null,
  ...more,
});

function growing(start: object[], arrivals: object[][]) {
  let list = start;
  let looks = 0;
  return ({ path }: Seen): Reply => {
    const query = new URL(path, 'http://x').searchParams;
    const offset = Number(query.get('offset'));
    if (offset === 0 && looks++ > 0) list = [...(arrivals.shift() ?? []).toReversed(), ...list];
    return { body: { data: list.slice(offset, offset + Number(query.get('limit'))), links: {} } };
  };
}

async function followFast(
  args: readonly string[],
  env: Record<string, string>,
  enough: (output: { stdout: string; stderr: string }) => boolean,
  columns?: number,
) {
  const controller = new AbortController();
  return inProcess(args, {
    env: { HOME: temporaryFolder(), ...env },
    ...(columns !== undefined && { terminal: { columns } }),
    clock: fastClock(),
    signal: controller.signal,
    heard: (output) => {
      if (enough(output)) controller.abort(new InterruptedError(130));
    },
  });
}

const lines = (text: string): string[] => text.split('\n').slice(0, -1);

describe('vals runs --follow', () => {
  const start = Array.from({ length: 12 }, (_, index) => runOf(`old-${12 - index}`));

  it('prints the last ten runs and new runs in a pipe, as lines, with the given filters', async () => {
    const error = { message: 'it\tbroke' };
    const arrivals = [[runOf('a'), runOf('b', { error })], [], [runOf('c')]];
    const service = await scriptedService([], growing(start, arrivals));
    const args = ['runs', '--follow', '--error', '--since', '2026-01-01'];
    const { exit, stdout, stderr } = await followFast(args, service.env, ({ stdout }) =>
      stdout.includes('\tc\n'),
    );
    expect({ exit, stderr }).toEqual({ exit: 130, stderr: '' });
    expect(lines(stdout).map((line) => line.split('\t').at(-1))).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `old-${index + 3}`),
      ...['a', 'b', 'c'],
    ]);
    expect(lines(stdout)[11]).toBe('2026-01-31T09:30:00Z\t2026-01-31T09:30:01Z\thello\t1\tit\\tbroke\tb');
    const query = { error: 'true', since: '2026-01-01T00:00:00.000Z', limit: '100', offset: '0' };
    for (const { path } of service.requests) {
      expect(path.split('?')[0]).toBe('/v1/me/runs');
      expect(Object.fromEntries(new URL(path, 'http://x').searchParams)).toEqual(query);
    }
  });

  it('of one val with --ndjson prints each record on a line, as it was sent', async () => {
    const val = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
    const digits = runOf('new', { digits: '#' });
    const service = await scriptedService([], (seen) => {
      const reply = grow(seen) as { body: unknown };
      return { body: JSON.stringify(reply.body).replace('"#"', '1.0') };
    });
    const grow = growing(start, [[digits]]);
    const { exit, stdout, stderr } = await followFast(
      ['val', 'runs', val, '--follow', '--limit', '2', '--ndjson'],
      service.env,
      ({ stdout }) => lines(stdout).length === 3,
    );
    expect({ exit, stderr }).toEqual({ exit: 130, stderr: '{"error":{"kind":"interrupted","exit":130}}\n' });
    expect(lines(stdout)[2]).toBe(JSON.stringify(digits).replace('"#"', '1.0'));
    expect(lines(stdout).map((line) => JSON.parse(line).id)).toEqual(['old-11', 'old-12', 'new']);
    expect(service.requests[0]?.path.split('?')[0]).toBe(`/v1/vals/${val}/runs`);
  });

  it.each([100, 40])('appends rows below one header at a terminal of %i columns', async (columns) => {
    const evil = runOf('evil', { val: { name: '\u001b[2J漢字漢字' }, error: 'x'.repeat(300) });
    const service = await scriptedService(
      [],
      growing(start, [[runOf('a')], [evil], [runOf('z', { error: 'z-last' })]]),
    );
    const { exit, stdout } = await followFast(
      ['runs', '--follow', '--limit', '2', '--no-color'],
      { ...service.env, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
      ({ stdout }) => lines(stdout).length === 6,
      columns,
    );
    expect(exit).toBe(130);
    const [head = '', ...rows] = lines(stripVTControlCharacters(stdout));
    expect(rows.length).toBe(5);
    expect(stdout).toBe(stripVTControlCharacters(stdout));
    expect(stdout.match(/VERSION/g)?.length ?? 0).toBe(columns === 40 ? 0 : 1);
    expect(head.includes('STARTED')).toBe(true);
    expect(head.includes('ERROR')).toBe(columns > 40);
    expect(rows[4]?.indexOf('z-last')).toBe(head.indexOf('ERROR'));
    expect(rows[4]).toContain('failed');
    for (const row of rows.filter((row) => !row.includes('漢')))
      expect(row.length).toBeLessThanOrEqual(columns);
  });

  it('says once that the service is away and once that it is back, and misses no run', async () => {
    const grow = growing([runOf('first')], [[runOf('second')], [runOf('third')]]);
    let asked = 0;
    const service = await scriptedService([], (seen) =>
      ++asked > 1 && asked < 8 ? { status: 503 } : grow(seen),
    );
    const { exit, stdout, stderr } = await followFast(['runs', '--follow'], service.env, ({ stdout }) =>
      stdout.includes('third'),
    );
    expect(exit).toBe(130);
    expect(lines(stdout).map((line) => line.split('\t').at(-1))).toEqual(['first', 'second', 'third']);
    expect(lines(stderr)).toEqual([
      expect.stringMatching(
        /^warning: The service is not available .*keeps trying until the service answers\.$/,
      ),
      'The service answers again.',
    ]);
  });

  it('ends at once if the service is away at the start', async () => {
    const service = await scriptedService([], () => ({ status: 503 }));
    const result = await followFast(['runs', '--follow'], service.env, () => false);
    expect(result).toMatchObject({ exit: 7, stdout: '' });
  });

  it.each([
    { args: ['--json'], says: '--ndjson' },
    { args: ['--all'], says: '--all' },
    { args: ['--offset', '5'], says: '--offset' },
    { args: ['--until', 'now'], says: '--until' },
    { args: ['--summary'], says: '--summary' },
  ])('is refused with $args', async ({ args, says }) => {
    const service = await scriptedService([]);
    const { exit, stdout, stderr } = await run(['runs', '--follow', ...args], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(says);
  });

  it('of the built program prints runs at once, and SIGTERM ends the program with 143', async () => {
    const service = await scriptedService([], growing([runOf('first')], []));
    const { child, ended } = startProcess(['runs', '--follow'], { env: service.env });
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const { exit, signal, stdout, stderr } = await ended;
    expect({ exit: exitStatus(exit, signal), stderr, lines: lines(stdout).length }).toEqual({
      exit: 143,
      stderr: '',
      lines: 1,
    });
  });
});
