// Finds how many requests at a time a service handles well. The limit begins with 8, and grows while that brings more
// replies a second. A refusal, or replies that become slow, halve it.

export interface Pace {
  readonly limit: number;
  /** The limit does not grow beyond this number. A refusal lowers it. */
  readonly ceiling: number;
  readonly changedAt: number;
  /** This many replies are not measured, because their requests were sent before the limit changed. */
  readonly repliesToSkip: number;
  readonly roundBeganAt: number;
  readonly repliesInRound: number;
  readonly best: Measured | undefined;
  readonly isGrowing: boolean;
  readonly repliesSinceGrowth: number;
}

interface Measured {
  readonly limit: number;
  readonly repliesPerMs: number;
}

export interface PaceEvent {
  /** `refused` means status 429, status 503 or a lost connection. */
  readonly kind: 'replied' | 'refused';
  readonly beganAt: number;
  /** How many other requests were under way when this request began. */
  readonly others: number;
  readonly at: number;
}

export const mostRequests = 32;

const growthFactor = 1.5;
/** If the limit grows, the rate must grow by this share of the growth. */
const leastGain = 0.25;
const slowFactor = 2;
const shortestRound = 6;
const roundsUntilSlow = 4;
const repliesBeforeNextGrowth = 256;

export const startPace: Pace = {
  limit: 8,
  ceiling: mostRequests,
  changedAt: 0,
  repliesToSkip: 8,
  roundBeganAt: 0,
  repliesInRound: 0,
  best: undefined,
  isGrowing: true,
  repliesSinceGrowth: 0,
};

export function nextPace(pace: Pace, { kind, beganAt, others, at }: PaceEvent): Pace {
  if (kind === 'refused') {
    // The service took the other requests, so it may take as many again.
    const ceiling = Math.max(half(pace.limit), Math.min(others, pace.limit - 1));
    const isOld = beganAt < pace.changedAt;
    return isOld ? pace : halved({ ...pace, ceiling }, at);
  }
  const { repliesToSkip, roundBeganAt } = pace;
  if (repliesToSkip > 0) return { ...pace, repliesToSkip: repliesToSkip - 1, roundBeganAt: at };
  const repliesInRound = pace.repliesInRound + 1;
  if (repliesInRound < roundLength(pace)) return { ...pace, repliesInRound };
  const measured = { limit: pace.limit, repliesPerMs: repliesInRound / Math.max(at - roundBeganAt, 1) };
  const measuredPace = { ...pace, roundBeganAt: at, repliesInRound: 0 };
  return pace.isGrowing ? afterGrowth(measuredPace, measured, at) : afterRound(measuredPace, measured, at);
}

const roundLength = ({ limit, isGrowing }: Pace): number =>
  Math.max(shortestRound, isGrowing ? limit : roundsUntilSlow * limit);

function afterGrowth(pace: Pace, measured: Measured, at: number): Pace {
  const { best } = pace;
  // Below a ceiling that a refusal showed, the service has taken more requests before.
  const hasRefused = pace.ceiling < mostRequests;
  if (best !== undefined && !hasRefused && !isBetter(measured, best)) return settled(pace, best, at);
  return pace.limit < pace.ceiling ? grown(pace, measured, at) : settled(pace, measured, at);
}

function isBetter(measured: Measured, best: Measured): boolean {
  const growth = measured.limit / best.limit - 1;
  return measured.repliesPerMs >= best.repliesPerMs * (1 + leastGain * growth);
}

function afterRound(pace: Pace, measured: Measured, at: number): Pace {
  const { best = measured, ceiling } = pace;
  if (measured.repliesPerMs * slowFactor < best.repliesPerMs) return halved(pace, at);
  const repliesSinceGrowth = pace.repliesSinceGrowth + roundLength(pace);
  if (repliesSinceGrowth < repliesBeforeNextGrowth) return { ...pace, best, repliesSinceGrowth };
  return grown({ ...pace, ceiling: Math.min(mostRequests, ceiling + 1) }, measured, at);
}

function grown(pace: Pace, best: Measured, at: number): Pace {
  const larger = Math.max(pace.limit + 1, Math.floor(pace.limit * growthFactor));
  return { ...withLimit(pace, Math.min(pace.ceiling, larger), at), best, isGrowing: true };
}

const settled = (pace: Pace, best: Measured, at: number): Pace => ({
  ...withLimit(pace, best.limit, at),
  best,
  isGrowing: false,
});

const half = (limit: number): number => Math.max(1, Math.floor(limit / 2));

const halved = (pace: Pace, at: number): Pace => ({
  ...withLimit(pace, half(pace.limit), at),
  best: undefined,
  isGrowing: true,
});

const withLimit = (pace: Pace, limit: number, changedAt: number): Pace => ({
  ...pace,
  limit,
  changedAt,
  repliesToSkip: pace.limit,
  repliesInRound: 0,
  repliesSinceGrowth: 0,
});
