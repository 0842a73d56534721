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
