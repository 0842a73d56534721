import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { InterruptedError } from '../../../../src/core/errors.ts';
import { follow } from '../../../../src/core/http/lists/pages.ts';
import type { Clock } from '../../../../src/core/lib/waiting.ts';
import { budget } from '../../../support/cases.ts';
import { quickRetries } from '../../../support/clocks.ts';
import { fastClock, runFastClock } from '../../../support/fast-clock.ts';
import { inProcess } from '../../../support/in-process.ts';
import { temporaryFolder } from '../../../support/program.ts';
import {
  pageOf,
  type Reply,
  type Seen,
  scriptedService,
  testToken,
} from '../../../support/scripted-service.ts';

const home = temporaryFolder();
const noService = { VALS_BASE_URL: 'http://127.0.0.1:1', VALS_TOKEN: testToken };

runFastClock();
// The first run loads the code of the program, which on a busy machine takes too long for the fast clock.
beforeAll(async () => {
  await inProcess(['runs'], { env: { HOME: home, ...noService }, clock: quickRetries });
});

/** Follows a list of `start` records, to which so many come before each look. */
async function followPlan({ start, last, looks }: { start: number; last: number; looks: number[] }) {
  const controller = new AbortController();
  const arrived: string[] = [];
  const old = Array.from({ length: start }, (_, index) => `old-${index}`);
  let list = old.toReversed();
  const left = [...looks];
  const clock: Clock = {
    now: () => 0,
    after(ms, callback) {
      expect(ms).toBe(2_000);
      const arrive = left.shift();
      if (arrive === undefined) controller.abort(new InterruptedError(130));
      const fresh = Array.from({ length: arrive ?? 0 }, (_, index) => `new-${arrived.length + index}`);
      arrived.push(...fresh);
      list = [...fresh.toReversed(), ...list];
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
  const given: string[] = [];
  const pages = follow({
    last,
    clock,
    signal: controller.signal,
    onOutage: () => expect.unreachable(),
    onOutageEnd: () => expect.unreachable(),
    readNewest: async (count) => list.slice(0, count).map((id) => ({ id })),
  });
  await expect(
    (async () => {
      for await (const page of pages) for (const { id } of page.records) given.push(id as string);
    })(),
  ).rejects.toMatchObject({ exit: 130 });
  return { given, expected: [...old.slice(-last), ...arrived] };
}

it('following a list gives the last records, then each new record once and in order', async () => {
  const plans = fc.record({
    start: fc.constantFrom(0, 1, 5, 99, 100, 101, 180),
    last: fc.constantFrom(1, 10, 100),
    looks: fc.array(fc.nat(99), { maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { given, expected } = await followPlan(plan);
      expect(given).toEqual(expected);
    }),
    { numRuns: budget(40) },
  );
});

it('following a list gives no old record that comes up because another one was deleted', async () => {
  const ids = Array.from({ length: 150 }, (_, index) => `old-${index}`).toReversed();
  const looks = [ids, ids.slice(5), ['new', ...ids.slice(10)]];
  const controller = new AbortController();
  const given: string[] = [];
  const pages = follow({
    last: 1,
    clock: {
      now: () => 0,
      after(_, callback) {
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    },
    signal: controller.signal,
    onOutage: () => expect.unreachable(),
    onOutageEnd: () => expect.unreachable(),
    async readNewest(count) {
      if (looks.length === 1) controller.abort(new InterruptedError(130));
      return (looks.shift() ?? []).slice(0, count).map((id) => ({ id }));
    },
  });
  await expect(
    (async () => {
      for await (const page of pages) for (const { id } of page.records) given.push(id as string);
    })(),
  ).rejects.toMatchObject({ exit: 130 });
  expect(given).toEqual(['old-149', 'new']);
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
  return (seen: Seen) => {
    if (looks++ > 0) list = [...(arrivals.shift() ?? []).toReversed(), ...list];
    return pageOf(list, seen, { hasLinks: true });
  };
}

async function followFast(
  args: readonly string[],
  env: Record<string, string>,
  enough: (output: { stdout: string; stderr: string }) => boolean,
) {
  const controller = new AbortController();
  return inProcess([...args, '--follow'], {
    env: { HOME: temporaryFolder(), ...env },
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

  it('waits while the service cannot be reached, says so once, and then prints what came meanwhile', async () => {
    const grow = growing([runOf('first')], [[runOf('meanwhile')], [runOf('after')]]);
    let requests = 0;
    const isAway = () => ++requests > 1 && requests < 20;
    const hangUp: Reply = (response) => void response.destroy();
    const service = await scriptedService([], (seen) => (isAway() ? hangUp : grow(seen)));
    const isEnough = ({ stdout }: { stdout: string }) => stdout.includes('\tafter\n');
    const { exit, stdout, stderr } = await followFast(['runs'], service.env, isEnough);
    expect({ exit, ids: idsOf(stdout) }).toEqual({ exit: 130, ids: ['first', 'meanwhile', 'after'] });
    expect(lines(stderr)).toEqual([
      expect.stringMatching(
        /^warning: The connection .+ New records are shown as soon as the service can be reached\.$/,
      ),
      'The service can be reached again.',
    ]);
  });

  it('waits for a service that is not there yet', async () => {
    const isEnough = ({ stderr }: { stderr: string }) =>
      stderr.includes('as soon as the service can be reached');
    expect(await followFast(['runs'], noService, isEnough)).toMatchObject({ exit: 130, stdout: '' });
  });

  it('ends with any other error', async () => {
    const grow = growing([runOf('first')], []);
    let asked = 0;
    const service = await scriptedService([], (seen): Reply => (++asked > 1 ? { status: 401 } : grow(seen)));
    const { exit, stdout } = await followFast(['runs'], service.env, () => false);
    expect({ exit, ids: idsOf(stdout) }).toEqual({ exit: 4, ids: ['first'] });
  });
});
