import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/service/http/rate-limit.ts';

function limitOf(limits: { perSecond: number; inFlight: number }) {
  const clock = { now: 0 };
  const { enter } = createRateLimit(limits, () => clock.now);
  const letIn = (count: number) => {
    const leaves = Array.from({ length: count }, () => {
      const leave = enter('ada');
      leave?.();
      return leave;
    });
    return leaves.filter((leave) => leave !== undefined).length;
  };
  return { clock, enter, letIn };
}

test('the limit of a second holds, however the requests are spread', () => {
  const { clock, letIn } = limitOf({ perSecond: 100, inFlight: 64 });
  for (const [now, entered] of [
    [0, 100],
    [10, 1],
    [510, 50],
    [60_000, 100],
  ] as const) {
    clock.now = now;
    expect(letIn(500)).toBe(entered);
  }
});

test('a refused request does not count', () => {
  const { enter, letIn } = limitOf({ perSecond: 10, inFlight: 1 });
  const leave = enter('ada');
  for (let i = 0; i < 100; i++) expect(enter('ada')).toBeUndefined();
  leave?.();
  expect(letIn(100)).toBe(9);
});
