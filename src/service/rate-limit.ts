// How many requests one caller may make: so many a second, so many at a time. A bucket for each, and old buckets go.

interface Bucketed {
  /** How fast a bucket fills again. */
  perSecond: number;
  /** How many a full bucket has; as many as one second brings where absent. */
  burst?: number;
  inFlight: number;
}

export interface Limits extends Bucketed {
  /** For the bytes of what is stored. */
  stored?: Bucketed;
}

export interface RateLimit {
  /** Takes one request in, or several bytes: gives what ends it, or undefined where it is too much. */
  enter(caller: string, cost?: number): (() => void) | undefined;
  /** Whether the next request would be one too many, without taking it in. */
  isSpent(caller: string): boolean;
  /** When the cost could be paid; at least 1. */
  secondsUntil(caller: string, cost: number): number;
  /** How many callers it remembers. */
  readonly size: number;
}

interface Bucket {
  left: number;
  /** When `left` was true. */
  at: number;
  inFlight: number;
}

/** How many are kept when there are twice as many: one by one, each would be looked for behind those that went before. */
const keptBuckets = 10_000;

/** `now` in milliseconds. */
export function createRateLimit(limits: Bucketed, now: () => number): RateLimit {
  const { perSecond, inFlight, burst = Math.max(1, perSecond) } = limits;
  // Who came last stands last.
  const buckets = new Map<string, Bucket>();

  const bucketOf = (caller: string): Bucket => {
    const moment = now();
    const known = buckets.get(caller) ?? { left: burst, at: moment, inFlight: 0 };
    known.left = Math.min(burst, known.left + (Math.max(0, moment - known.at) * perSecond) / 1_000);
    known.at = moment;
    buckets.delete(caller);
    buckets.set(caller, known);
    return known;
  };

  /** One who has nothing under way and did not come for long has a full bucket again, and that need not be remembered. */
  const forgetOldest = () => {
    if (buckets.size <= 2 * keptBuckets) return;
    for (const [caller, bucket] of buckets) {
      if (buckets.size <= keptBuckets) return;
      if (bucket.inFlight === 0) buckets.delete(caller);
    }
  };

  const isFull = (bucket: Bucket, cost = 1) => bucket.left < cost || bucket.inFlight >= inFlight;

  return {
    isSpent: (caller) => buckets.has(caller) && isFull(bucketOf(caller)),
    secondsUntil: (caller, cost) => Math.max(1, Math.ceil((cost - bucketOf(caller).left) / perSecond)),
    enter(caller, cost = 1) {
      const bucket = bucketOf(caller);
      forgetOldest();
      if (isFull(bucket, cost)) return undefined;
      bucket.left -= cost;
      bucket.inFlight += 1;
      let isUnderWay = true;
      return () => {
        if (isUnderWay) bucket.inFlight -= 1;
        isUnderWay = false;
      };
    },
    get size() {
      return buckets.size;
    },
  };
}
