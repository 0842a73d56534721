export interface BucketLimits {
  perSecond: number;
  burst?: number;
  inFlight: number;
}

export interface Limits extends BucketLimits {
  stored?: BucketLimits;
}

type Leave = () => void;

export interface RateLimit {
  enter(caller: string, cost?: number): Leave | undefined;
  spend(caller: string, cost?: number): boolean;
  isSpent(caller: string): boolean;
  /** Returns how many seconds the caller must wait. If that is more than `longestWait`, nothing is spent. */
  spendAhead(caller: string, cost: number, longestWait: number): number;
  readonly size: number;
}

interface Bucket {
  left: number;
  leftAt: number;
  inFlight: number;
}

const bucketsAfterRemoval = 10_000;

export function createRateLimit(limits: BucketLimits, nowMs: () => number): RateLimit {
  const { perSecond, inFlight, burst = Math.max(1, perSecond) } = limits;
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

  const removeLeastRecentlyUsed = () => {
    if (buckets.size <= 2 * bucketsAfterRemoval) return;
    for (const [caller, bucket] of buckets) {
      if (buckets.size <= bucketsAfterRemoval) return;
      if (bucket.inFlight === 0) buckets.delete(caller);
    }
  };

  const isExhausted = (bucket: Bucket, cost = 1) => bucket.left < cost || bucket.inFlight >= inFlight;

  const enter = (caller: string, cost = 1): Leave | undefined => {
    const bucket = bucketOf(caller);
    removeLeastRecentlyUsed();
    if (isExhausted(bucket, cost)) return undefined;
    bucket.left -= cost;
    bucket.inFlight += 1;
    let isUnderWay = true;
    return () => {
      if (isUnderWay) bucket.inFlight -= 1;
      isUnderWay = false;
    };
  };

  return {
    enter,
    spend(caller, cost) {
      const leave = enter(caller, cost);
      leave?.();
      return leave !== undefined;
    },
    isSpent: (caller) => buckets.has(caller) && isExhausted(bucketOf(caller)),
    spendAhead(caller, cost, longestWait) {
      const bucket = bucketOf(caller);
      removeLeastRecentlyUsed();
      const seconds = Math.max(0, (cost - bucket.left) / perSecond);
      if (seconds <= longestWait) bucket.left -= cost;
      return seconds;
    },
    get size() {
      return buckets.size;
    },
  };
}
