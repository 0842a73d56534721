// Limits the rate of each caller, and the number of requests at a time: a token bucket per caller.

interface BucketLimits {
  /** The refill of a bucket. */
  perSecond: number;
  /** The size of a bucket. Default: the refill of one second. */
  burst?: number;
  inFlight: number;
}

export interface Limits extends BucketLimits {
  /** Limits for the bytes of the bodies that a caller sends. */
  stored?: BucketLimits;
}

export interface RateLimit {
  /** Returns a function that ends the admitted request, or undefined if a limit is reached. */
  enter(caller: string, cost?: number): (() => void) | undefined;
  /** Whether the next request would be refused. */
  isSpent(caller: string): boolean;
  /** The seconds until the cost could be admitted, at least 1. */
  secondsUntil(caller: string, cost: number): number;
  /** The number of remembered callers. */
  readonly size: number;
}

interface Bucket {
  left: number;
  /** When `left` was computed. */
  at: number;
  inFlight: number;
}

/** Above twice this number, the oldest buckets are removed down to this number. Removing one at a time would be slow. */
const keptBuckets = 10_000;

/** `now` returns milliseconds. */
export function createRateLimit(limits: BucketLimits, now: () => number): RateLimit {
  const { perSecond, inFlight, burst = Math.max(1, perSecond) } = limits;
  // Ordered by the time of the last request.
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

  /** The bucket of a caller who was away for long is full again, so it can be forgotten. */
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
