import { describe, expect, it } from 'vitest';
import {
  initialLimit,
  type LimitState,
  mostRequests,
  nextLimit,
} from '../../../src/api/http/concurrency-limit.ts';
import { budget, chanceOf } from '../../support/cases.ts';

interface Model {
  takes(others: number): number | 'refused';
}

interface Course {
  ms: number;
  refusedLater: number;
  requestsLater: number;
  failed: number;
}

const attempts = 4;
const refusalMs = 2;

function play(model: Model, count: number, random: () => number, fixed?: number, retryAfterMs = 0): Course {
  let pace: LimitState = fixed === undefined ? initialLimit : { ...initialLimit, limit: fixed };
  let now = 0;
  let left = count;
  let underWay = 0;
  let taken = 0;
  const course: Course = { ms: 0, refusedLater: 0, requestsLater: 0, failed: 0 };
  const again: number[] = [];
  const events: { at: number; happens: () => void }[] = [];
  const later = (ms: number, happens: () => void) => {
    const event = { at: now + ms, happens };
    let index = events.length;
    while (index > 0 && (events[index - 1] as { at: number }).at > event.at) index--;
    events.splice(index, 0, event);
  };
  const send = (attempt: number) => {
    const time = model.takes(taken);
    const beganAt = now;
    underWay += 1;
    if (now > 1_000) course.requestsLater += 1;
    if (time === 'refused') {
      if (now > 1_000) course.refusedLater += 1;
      later(refusalMs, () => {
        underWay -= 1;
        if (fixed === undefined) pace = nextLimit(pace, { kind: 'refused', at: now, beganAt });
        if (attempt === attempts) course.failed += 1;
        else {
          const wait = Math.max(retryAfterMs, random() * Math.min(8_000, 500 * 2 ** (attempt - 1)));
          later(wait, () => again.push(attempt + 1));
        }
      });
    } else {
      taken += 1;
      later(time * (0.9 + 0.2 * random()), () => {
        taken -= 1;
        underWay -= 1;
        if (fixed === undefined) pace = nextLimit(pace, { kind: 'replied', at: now, beganAt });
      });
    }
  };
  for (;;) {
    while (underWay < pace.limit && (again.length > 0 || left > 0)) {
      const attempt = again.shift();
      if (attempt === undefined) left -= 1;
      send(attempt ?? 1);
    }
    const event = events.shift();
    if (event === undefined) return { ...course, ms: now };
    now = event.at;
    event.happens();
  }
}

const bestFixed = (model: Model, count: number, random: () => number): number =>
  Math.min(
    ...[1, 2, 3, 4, 6, 8, 11, 16, 23, mostRequests].map((limit) => play(model, count, random, limit).ms),
  );

const steady = (ms: number): Model => ({ takes: () => ms });
const limited = (most: number, ms: number): Model => ({
  takes: (others) => (others < most ? ms : 'refused'),
});
const thrashing = (knee: number, ms: number): Model => ({
  takes: (others) => ms * (1 + Math.max(0, (others + 1 - knee) / knee) ** 2),
});

describe('a service', () => {
  it('that always takes 50 ms soon gets 32 requests at a time', () => {
    const random = chanceOf(1).fraction;
    const { ms } = play(steady(50), 1_000, random);
    expect(ms / play(steady(50), 1_000, random, 8).ms).toBeLessThan(0.45);
  });

  it('that refuses one request soon gets as many requests again', () => {
    let requests = 0;
    const takes = () => (++requests === 500 ? 'refused' : 50);
    const { ms } = play({ takes }, 1_000, chanceOf(1).fraction);
    expect(ms / play(steady(50), 1_000, chanceOf(1).fraction).ms).toBeLessThan(1.3);
  });

  it.each([0, 1_000])(
    'that refuses more than 4 requests at a time (Retry-After %i ms) refuses hardly any',
    (retryAfter) => {
      for (let seed = 1; seed <= budget(5); seed++) {
        const random = chanceOf(seed).fraction;
        const found = play(limited(4, 50), 200, random, undefined, retryAfter);
        expect(found.failed).toBe(0);
        expect(found.ms / play(limited(4, 50), 200, random, 4).ms).toBeLessThan(1.2);
        expect(found.refusedLater / found.requestsLater).toBeLessThan(0.03);
      }
    },
  );

  it('whose replies become slow beyond 6 requests at a time does not get 32', () => {
    const random = chanceOf(1).fraction;
    const found = play(thrashing(6, 20), 1_000, random);
    expect(found.ms / bestFixed(thrashing(6, 20), 1_000, random)).toBeLessThan(1.5);
  });
});
