import { describe, expect, it } from 'vitest';
import {
  createGate,
  initialLimit,
  type LimitState,
  nextLimit,
} from '../../../../src/core/http/request/gate.ts';
import type { Clock } from '../../../../src/core/lib/clock.ts';
import { folderOfVals, runQuickly as run, runProcess, valNames } from '../../../support/program.ts';
import { type Reply, scriptedService } from '../../../support/scripted-service.ts';

describe('the number of requests at a time', () => {
  const ended = (kind: 'replied' | 'refused', count: number, state: LimitState, at = 0): LimitState =>
    Array.from({ length: count }).reduce<LimitState>(
      (now) => nextLimit(now, { kind, beganAt: at, at }),
      state,
    );

  it('grows by one after each round that went well, from 8 to 32', () => {
    expect(ended('replied', 7, initialLimit).limit).toBe(8);
    expect(ended('replied', 8, initialLimit).limit).toBe(9);
    expect(ended('replied', 8 + 9, initialLimit).limit).toBe(10);
    expect(ended('replied', 5_000, initialLimit).limit).toBe(32);
  });

  it('is halved once for requests that were refused together, and is never below 1', () => {
    const halved = nextLimit(initialLimit, { kind: 'refused', beganAt: 1, at: 2 });
    expect(halved.limit).toBe(4);
    expect(nextLimit(halved, { kind: 'refused', beganAt: 1, at: 3 }).limit).toBe(4);
    expect(ended('refused', 9, initialLimit).limit).toBe(1);
  });

  it('reaches what was too many only after 256 replies', () => {
    const grown = ended('replied', 4 + 5 + 6, ended('refused', 1, initialLimit));
    expect(grown.limit).toBe(7);
    expect(ended('replied', 255, grown).limit).toBe(7);
    expect(ended('replied', 256, grown).limit).toBe(8);
  });
});

describe('a busy gate for one request at a time', () => {
  async function busyGate() {
    let now = 0;
    const timers = new Map<() => void, number>();
    const clock: Clock = {
      now: () => now,
      after(ms, callback) {
        // setTimeout cuts off the part of a millisecond.
        timers.set(callback, now + Math.trunc(ms));
        return () => timers.delete(callback);
      },
    };
    const controller = new AbortController();
    const gate = createGate(1, clock, controller.signal);
    const admitted: string[] = [];
    let leaveGate = await gate.enter(false);
    const nowAdmitted = async () => {
      await new Promise(setImmediate);
      return admitted.join(' ');
    };
    return {
      gate,
      nowAdmitted,
      async enter(name: string) {
        leaveGate = await gate.enter(name === 'retry');
        admitted.push(name);
      },
      leave() {
        leaveGate('replied');
        return nowAdmitted();
      },
      pass(ms: number) {
        now += ms;
        for (const [callback, at] of timers) if (at <= now && timers.delete(callback)) callback();
        return nowAdmitted();
      },
      abort: () => controller.abort(),
    };
  }

  it('admits a retry before requests that waited longer, and admits the other requests in order', async () => {
    const { enter, leave } = await busyGate();
    for (const name of ['first', 'second', 'retry']) enter(name);
    expect(await leave()).toBe('retry');
    expect(await leave()).toBe('retry first');
    expect(await leave()).toBe('retry first second');
  });

  it('admits only retries during a pause, and the longest pause counts', async () => {
    const { gate, enter, leave, pass } = await busyGate();
    gate.pause(5_000);
    gate.pause(1_000);
    for (const name of ['new', 'retry']) enter(name);
    expect(await leave()).toBe('retry');
    expect(await leave()).toBe('retry');
    expect(await pass(4_999)).toBe('retry');
    expect(await pass(1)).toBe('retry new');
  });

  it('admits new requests when the timer of the pause fires, even a part of a millisecond early', async () => {
    const { gate, enter, leave, pass } = await busyGate();
    gate.pause(2.7);
    enter('new');
    expect(await leave()).toBe('');
    expect(await pass(2)).toBe('new');
  });

  it('admits all requests once it is aborted, even during a pause', async () => {
    const { gate, enter, abort, nowAdmitted } = await busyGate();
    gate.pause(5_000);
    for (const name of ['a', 'b']) enter(name);
    abort();
    enter('c');
    expect(await nowAdmitted()).toBe('a b c');
  });
});

async function limitedService(most: number, ms: number) {
  const seen = { underWay: 0, most: 0, refused: 0, all: 0 };
  const service = await scriptedService([], (): Reply => {
    seen.all += 1;
    if (seen.underWay >= most) {
      seen.refused += 1;
      return { status: 429, headers: { 'retry-after': '1' }, body: { message: 'too many' } };
    }
    seen.underWay += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    return (response) =>
      setTimeout(() => {
        seen.underWay -= 1;
        response.end('{"id":"a","version":1}');
      }, ms);
  });
  const push = async (count: number, ...more: string[]) => {
    const cwd = folderOfVals(valNames(count));
    const { exit, stdout } = await run(['push', '.', '--json', ...more], { env: service.env, cwd });
    expect({ exit, rows: JSON.parse(stdout).length }).toEqual({ exit: 0, rows: count });
  };
  return { seen, push };
}

it('a service that accepts only 4 requests at a time gets every val', async () => {
  const { push, seen } = await limitedService(4, 10);
  await push(120);
  expect(seen.refused).toBeLessThan(0.1 * seen.all);
});

it('a service that accepts everything gets up to 32 requests at a time', async () => {
  const { push, seen } = await limitedService(100, 20);
  await push(120);
  expect(seen.most).toBeGreaterThan(8);
  expect(seen.most).toBeLessThanOrEqual(32);
});

it('--concurrency fixes the number of requests at a time', async () => {
  const { push, seen } = await limitedService(100, 5);
  await push(20, '--concurrency', '3');
  expect(seen.most).toBe(3);
});

it('32 requests that wait for a retry at the same time print nothing on stderr', async () => {
  const replies = Array(32).fill({ status: 503 });
  const { env } = await scriptedService(replies, () => ({ body: { id: 'a', version: 1 } }));
  const args = ['push', '.', '--quiet', '--concurrency', '32'];
  const result = await runProcess(args, { env, cwd: folderOfVals(valNames(32)) });
  expect(result).toMatchObject({ exit: 0, stderr: '' });
});
