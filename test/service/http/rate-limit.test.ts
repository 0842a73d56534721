import { expect, test } from 'vitest';
import { type Bucket, createRateLimit } from '../../../src/service/http/rate-limit.ts';

test('a rate limit forgets a token that was not used for a minute, unless a request of it is under way', () => {
  let now = 0;
  const buckets = new Map<string, Bucket>();
  const limit = createRateLimit({ perSecond: 1, inFlight: 2 }, () => now, buckets);
  limit.enter('gone')?.();
  limit.enter('slow');
  now = 30_000;
  limit.enter('recent')?.();
  now = 60_000;
  limit.enter('new')?.();
  expect([...buckets.keys()]).toEqual(['slow', 'recent', 'new']);
  expect(limit.enter('new')).toBeUndefined();
});
