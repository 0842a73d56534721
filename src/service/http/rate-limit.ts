export interface Limits {
  perSecond: number;
  inFlight: number;
}

export type RateLimit = ReturnType<typeof createRateLimit>;

export interface Bucket {
  left: number;
  leftAt: number;
  inFlight: number;
}

const rememberedMs = 60_000;

/** A token bucket, and the number of requests under way, for each token that was used within the last minutes. */
export function createRateLimit(
  { perSecond, inFlight }: Limits,
  nowMs: () => number,
  buckets = new Map<string, Bucket>(),
) {
  let forgotAt = nowMs();
  const forget = (now: number) => {
    if (now - forgotAt < rememberedMs) return;
    forgotAt = now;
    for (const [token, bucket] of buckets) {
      if (bucket.inFlight === 0 && now - bucket.leftAt >= rememberedMs) buckets.delete(token);
    }
  };
  return {
    /** Returns undefined if the sender must wait, else a function to call when the request ends. */
    enter(token: string) {
      const now = nowMs();
      forget(now);
      const bucket = buckets.get(token) ?? { left: perSecond, leftAt: now, inFlight: 0 };
      buckets.set(token, bucket);
      const gained = (Math.max(0, now - bucket.leftAt) * perSecond) / 1_000;
      bucket.left = Math.min(perSecond, bucket.left + gained);
      bucket.leftAt = now;
      if (bucket.left < 1 || bucket.inFlight >= inFlight) return undefined;
      bucket.left -= 1;
      bucket.inFlight += 1;
      return () => {
        bucket.inFlight -= 1;
      };
    },
  };
}
