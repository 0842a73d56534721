// A token bucket for each caller. The bucket limits the rate of requests and the number of requests at the same time.

interface BucketLimits {
  /** The number of tokens that are added to a bucket in each second. */
  perSecond: number;
  /** The highest number of tokens in a bucket. Default: `perSecond`, but at least 1. */
  burst?: number;
  inFlight: number;
}

export interface Limits extends BucketLimits {
  /** Limits for the bytes of the bodies that a caller sends. */
  stored?: BucketLimits;
}

export interface RateLimit {
  /**
   * Returns undefined if a limit is reached. Otherwise returns a function that must be called when the request ends.
   */
  enter(caller: string, cost?: number): (() => void) | undefined;
  isSpent(caller: string): boolean;
  /** Returns the number of seconds until the bucket has enough tokens for the cost, at least 1. */
  secondsUntil(caller: string, cost: number): number;
  readonly size: number;
}

interface Bucket {
  left: number;
  leftAt: number;
  inFlight: number;
}

/**
 * If there are more than `2 * keptBuckets` buckets, the oldest are removed until `keptBuckets` are left. Removing one
 * bucket at a time would be slow.
 */
const keptBuckets = 10_000;

export function createRateLimit(limits: BucketLimits, nowMs: () => number): RateLimit {
  const { perSecond, inFlight, burst = Math.max(1, perSecond) } = limits;
  // Sorted by the time of the last request of each caller, oldest first.
  const buckets = new Map<string, Bucket>();

  const bucketOf = (caller: string): Bucket => {
    const moment = nowMs();
    const known = buckets.get(caller) ?? { left: burst, leftAt: moment, inFlight: 0 };
    known.left = Math.min(burst, known.left + (Math.max(0, moment - known.leftAt) * perSecond) / 1_000);
    known.leftAt = moment;
    buckets.delete(caller);
    buckets.set(caller, known);
    return known;
  };

  /** Removing an old bucket changes nothing for its caller: the bucket is full again, and a new bucket is full too. */
  const removeOldest = () => {
    if (buckets.size <= 2 * keptBuckets) return;
    for (const [caller, bucket] of buckets) {
      if (buckets.size <= keptBuckets) return;
      if (bucket.inFlight === 0) buckets.delete(caller);
    }
  };

  const isExhausted = (bucket: Bucket, cost = 1) => bucket.left < cost || bucket.inFlight >= inFlight;

  return {
    isSpent: (caller) => buckets.has(caller) && isExhausted(bucketOf(caller)),
    secondsUntil: (caller, cost) => Math.max(1, Math.ceil((cost - bucketOf(caller).left) / perSecond)),
    enter(caller, cost = 1) {
      const bucket = bucketOf(caller);
      removeOldest();
      if (isExhausted(bucket, cost)) return undefined;
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
