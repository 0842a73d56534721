import { beforeEach, expect, test } from 'vitest';
import { createRateLimit } from '../../../src/service/http/rate-limit.ts';

let now = 0;
beforeEach(() => {
  now = 0;
});

const letIn = (limit: ReturnType<typeof createRateLimit>, count: number, caller = 'ada') => {
  let entered = 0;
  for (let i = 0; i < count; i++) {
    const leave = limit.enter(caller);
    if (leave) entered += 1;
    leave?.();
  }
  return entered;
};

test('the limit of a second holds, however the requests are spread', () => {
  const limit = createRateLimit({ perSecond: 100, inFlight: 64 }, () => now);
  expect(letIn(limit, 500)).toBe(100);
  now = 10;
  expect(letIn(limit, 500)).toBe(1);
  now = 510;
  expect(letIn(limit, 500)).toBe(50);
  now = 60_000;
  expect(letIn(limit, 500)).toBe(100);
});

test('each caller has a limit of its own', () => {
  const limit = createRateLimit({ perSecond: 5, inFlight: 64 }, () => now);
  expect(letIn(limit, 10)).toBe(5);
  expect(letIn(limit, 10, 'bob')).toBe(5);
});

test('a request that ended makes room for one more', () => {
  const limit = createRateLimit({ perSecond: 1_000, inFlight: 3 }, () => now);
  const leaves = [1, 2, 3].map(() => limit.enter('ada'));
  expect(limit.enter('ada')).toBeUndefined();
  leaves[0]?.();
  leaves[0]?.();
  expect(limit.enter('ada')).toBeDefined();
  expect(limit.enter('ada')).toBeUndefined();
});

test('a refused request does not count', () => {
  const limit = createRateLimit({ perSecond: 10, inFlight: 1 }, () => now);
  const leave = limit.enter('ada');
  for (let i = 0; i < 100; i++) limit.enter('ada');
  leave?.();
  expect(letIn(limit, 100)).toBe(9);
});

test('a slow limit allows ten at once, then one in six seconds', () => {
  const limit = createRateLimit({ burst: 10, perSecond: 1 / 6, inFlight: 10 }, () => now);
  expect(letIn(limit, 20)).toBe(10);
  now = 5_900;
  expect(letIn(limit, 20)).toBe(0);
  now = 6_100;
  expect(letIn(limit, 20)).toBe(1);
});

test('a clock that goes back neither adds nor removes requests', () => {
  now = 10_000;
  const limit = createRateLimit({ perSecond: 10, inFlight: 64 }, () => now);
  expect(letIn(limit, 4)).toBe(4);
  now = 0;
  expect(letIn(limit, 100)).toBe(6);
});

test('many callers are forgotten, but not a caller with a request under way', () => {
  const limit = createRateLimit({ perSecond: 1, inFlight: 1 }, () => now);
  limit.enter('busy');
  for (let i = 0; i < 100_000; i++) limit.enter(`caller ${i}`)?.();
  expect(limit.size).toBeLessThanOrEqual(20_000);
  now = 60_000;
  expect(limit.enter('busy')).toBeUndefined();
});

test('a new caller is limited after very many other callers', () => {
  const limit = createRateLimit({ perSecond: 1, inFlight: Number.POSITIVE_INFINITY }, () => now);
  for (let i = 0; i < 30_000; i++) limit.spend(`caller ${i}`);
  expect([1, 2].map(() => limit.spend('ada'))).toEqual([true, false]);
  expect(limit.size).toBeLessThanOrEqual(20_000);
});

test('a cost that is spent ahead makes the next caller wait longer, and a refused cost does not count', () => {
  const limit = createRateLimit({ burst: 10, perSecond: 2, inFlight: 10 }, () => now);
  const spend = () => limit.spendAhead('ada', 8, 5);
  expect([spend(), spend(), spend(), spend()]).toEqual([0, 3, 7, 7]);
  now = 2_000;
  expect([spend(), spend()]).toEqual([5, 9]);
});
