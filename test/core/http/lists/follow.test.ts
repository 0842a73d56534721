import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadResponseError, InterruptedError, UnavailableError } from '../../../../src/core/errors.ts';
import { follow } from '../../../../src/core/http/lists/follow.ts';
import type { Clock } from '../../../../src/core/lib/clock.ts';
import type { JsonObject } from '../../../../src/core/lib/json.ts';
import { budget } from '../../../support/cases.ts';
import { inProcess } from '../../../support/in-process.ts';
import { exitStatus, run, startProcess, temporaryFolder } from '../../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../../support/scripted-service.ts';
import { fastClock, runFastClock } from '../request/faults/harness.ts';

runFastClock();

interface Change {
  arrive: number;
  depth?: number;
  vanish?: number[];
}

interface Look extends Change {
  during?: Change[];
  awayAt?: number;
}

interface Plan {
  start: number;
  last: number;
  cap?: number;
  links?: boolean;
  ids?: boolean;
  looks: Look[];
}

async function followPlan(plan: Plan, failWith: Error = new UnavailableError('away')) {
  const { start, last, cap = 100, links = true, ids = true, looks } = plan;
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
    const change = planned?.during?.[request - 1];
    if (change) apply(change);
    request += 1;
    requests += 1;
    if (planned?.awayAt === request - 1) throw failWith;
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
        listIsStuck: () => notes.push('stuck'),
      },
      fetchPage,
      filters: new URLSearchParams(),
    });
    for await (const page of pages) for (const { id, name } of page.records) given.push(String(id ?? name));
  } catch (thrown) {
    error = thrown;
  }
  const [left, printed] = [new Set(list), new Set(given)];
  const missing = arrived.filter((id) => left.has(id) && !printed.has(id));
  return { given, expected: [...old.slice(-last), ...arrived], missing, notes, waits, requests, error };
}

const burst = fc.oneof(
  { weight: 4, arbitrary: fc.nat(5) },
  { weight: 1, arbitrary: fc.constantFrom(99, 100, 101, 199, 200, 250, 340) },
);
const awayAt = fc.option(fc.nat(4), { nil: undefined });
const service = {
  start: fc.constantFrom(0, 1, 5, 99, 100, 101, 180, 300),
  last: fc.constantFrom(1, 10, 150),
  cap: fc.constantFrom(7, 20, 100),
  links: fc.boolean(),
};

const inAllCases = (plans: Record<string, fc.Arbitrary<unknown>>, check: (plan: Plan) => Promise<void>) =>
  fc.assert(fc.asyncProperty(fc.record({ ...service, ...plans }) as fc.Arbitrary<Plan>, check), {
    numRuns: budget(25),
  });

describe('following a list', () => {
  it('gives the last records, then each new record once and in order', async () => {
    const during = fc.array(fc.record({ arrive: fc.nat(5) }), { maxLength: 4 });
    const looks = fc.array(fc.record({ arrive: burst, during, awayAt }), { maxLength: 6 });
    await inAllCases({ ids: fc.boolean(), looks }, async (plan) => {
      const { given, expected, error, notes } = await followPlan(plan);
      expect(error).toMatchObject({ exit: 130 });
      expect(given).toEqual(expected);
      expect(notes.join(' ')).toMatch(/^(away back ?)*$/);
    });
  });

  it('takes no old record for a new one if records vanish between two looks', async () => {
    const vanish = fc.array(fc.nat(60), { maxLength: 30 });
    const looks = fc.array(fc.record({ arrive: burst, vanish, awayAt }), { maxLength: 6 });
    await inAllCases({ looks }, async (plan) => {
      const { given, expected, missing } = await followPlan(plan);
      expect(given).toEqual(expected.filter((id) => given.includes(id)));
      expect(missing).toEqual([]);
    });
  });

  it('finds records that arrive below others, as far down as one request reaches', async () => {
    const looks = fc.array(fc.record({ arrive: fc.nat(5), depth: fc.nat(60) }), { maxLength: 8 });
    await inAllCases({ looks, cap: fc.constant(100) }, async (plan) => {
      const { given, expected } = await followPlan(plan);
      expect([...given].sort()).toEqual(expected.sort());
    });
  });

  it('gives the newest 10,000 records, and says so, if more have arrived', async () => {
    const looks = [10_001, 0, 5].map((arrive) => ({ arrive }));
    const { given, expected, notes } = await followPlan({ start: 5, last: 1, looks });
    expect(given).toEqual(expected.filter((id) => id !== 'new-0'));
    expect(notes).toEqual(['too many']);
  });

  it('gives no record twice, although only the newest 10,000 are remembered', async () => {
    const looks = [1, 9_999, 9_999, 0, 2].map((arrive) => ({ arrive }));
    const { given, expected } = await followPlan({ start: 12_000, last: 12_000, looks });
    expect(given).toEqual(expected);
  });
});

describe('while the service is away', () => {
  const away = { arrive: 1, awayAt: 0 };
  const plan = { start: 5, last: 5 };

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
  return ({ path }: Seen) => {
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
  return inProcess([...args, '--follow'], {
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
const idsOf = (stdout: string) => lines(stdout).map((line) => line.split('\t').at(-1));

describe('vals runs --follow', () => {
  const start = Array.from({ length: 12 }, (_, index) => runOf(`old-${12 - index}`));

  it('prints the last ten runs and new runs in a pipe, as lines, with the given filters', async () => {
    const error = { message: 'it\tbroke' };
    const arrivals = [[runOf('a'), runOf('b', { error })], [], [runOf('c')]];
    const service = await scriptedService([], growing(start, arrivals));
    const args = ['runs', '--error', '--since', '2026-01-01T00:00:00Z'];
    const isEnough = ({ stdout }: { stdout: string }) => stdout.includes('\tc\n');
    const { exit, stdout, stderr } = await followFast(args, service.env, isEnough);
    expect({ exit, stderr }).toEqual({ exit: 130, stderr: '' });
    const old = Array.from({ length: 10 }, (_, index) => `old-${index + 3}`);
    expect(idsOf(stdout)).toEqual([...old, 'a', 'b', 'c']);
    expect(lines(stdout)[11]).toBe('2026-01-31T09:30:00Z\t2026-01-31T09:30:01Z\thello\t1\tit\\tbroke\tb');
    for (const { path } of service.requests) {
      expect(path).toBe('/v1/me/runs?error=true&since=2026-01-01T00%3A00%3A00.000Z&limit=100&offset=0');
    }
  });

  it('of one val with --ndjson prints each record on a line, as it was sent', async () => {
    const val = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
    const grow = growing(start, [[runOf('new', { more: 1 })]]);
    const service = await scriptedService([], grow);
    const args = ['val', 'runs', val, '--limit', '2', '--ndjson'];
    const isEnough = ({ stdout }: { stdout: string }) => lines(stdout).length === 3;
    const { exit, stdout, stderr } = await followFast(args, service.env, isEnough);
    expect({ exit, stderr }).toEqual({ exit: 130, stderr: '{"error":{"kind":"interrupted","exit":130}}\n' });
    expect(lines(stdout).map((line) => JSON.parse(line).id)).toEqual(['old-11', 'old-12', 'new']);
    expect(lines(stdout)[2]).toContain('"more":1');
    expect(service.requests[0]?.path).toBe(`/v1/vals/${val}/runs?limit=100&offset=0`);
  });

  it('appends rows below one header at a terminal', async () => {
    const columns = 100;
    const evil = runOf('evil', { val: { name: '\u001b[2J漢字漢字' }, error: 'x'.repeat(300) });
    const last = runOf('z', { error: 'z-last' });
    const service = await scriptedService([], growing(start, [[runOf('a')], [evil], [last]]));
    const env = { ...service.env, TERM: 'xterm', LC_ALL: 'C.UTF-8' };
    const isEnough = ({ stdout }: { stdout: string }) => lines(stdout).length === 6;
    const { stdout } = await followFast(['runs', '--limit', '2', '--no-color'], env, isEnough, columns);
    expect(stdout).toBe(stripVTControlCharacters(stdout));
    const [head = '', ...rows] = lines(stdout);
    expect(rows.length).toBe(5);
    expect(head).toContain('STARTED');
    expect(rows[4]?.indexOf('z-last')).toBe(head.indexOf('ERROR'));
    for (const row of rows.filter((row) => !row.includes('漢')))
      expect(row.length).toBeLessThanOrEqual(columns);
  });

  it('says once that the service is away and once that it is back, and misses no run', async () => {
    const grow = growing([runOf('first')], [[runOf('second')], [runOf('third')]]);
    let asked = 0;
    const service = await scriptedService(
      [],
      (seen): Reply => (++asked > 1 && asked < 8 ? { status: 503 } : grow(seen)),
    );
    const isEnough = ({ stdout }: { stdout: string }) => stdout.includes('third');
    const { stdout, stderr } = await followFast(['runs'], service.env, isEnough);
    expect(idsOf(stdout)).toEqual(['first', 'second', 'third']);
    expect(stderr).toBe(
      'warning: The service is not available. The command keeps trying until the service answers.\n' +
        'The service answers again.\n',
    );
  });

  it('ends at once if the service is away at the start', async () => {
    const service = await scriptedService([], () => ({ status: 503 }));
    const result = await followFast(['runs'], service.env, () => false);
    expect(result).toMatchObject({ exit: 7, stdout: '' });
  });

  it.each(['--json', '--summary'])('is refused with %s', async (flag) => {
    const { exit, stderr } = await run(['runs', '--follow', flag, '--base-url', 'http://127.0.0.1:1']);
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(flag) });
  });

  it('of the built program prints runs at once, and SIGTERM ends the program with 143', async () => {
    const service = await scriptedService([], growing([runOf('first')], []));
    const { child, ended } = startProcess(['runs', '--follow'], { env: service.env });
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const { exit, signal, stdout, stderr } = await ended;
    expect({ exit: exitStatus(exit, signal), stderr }).toEqual({ exit: 143, stderr: '' });
    expect(idsOf(stdout)).toEqual(['first']);
  });
});
