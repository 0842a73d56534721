export interface Limits {
  perSecond: number;
  inFlight: number;
}

export type RateLimit = ReturnType<typeof createRateLimit>;

interface Bucket {
  left: number;
  leftAt: number;
  inFlight: number;
}

/** A token bucket, and the number of requests under way, for each token. */
export function createRateLimit({ perSecond, inFlight }: Limits, nowMs: () => number) {
  const buckets = new Map<string, Bucket>();
  return {
    /** Returns undefined if the sender must wait, else a function to call when the request ends. */
    enter(token: string) {
      const now = nowMs();
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
