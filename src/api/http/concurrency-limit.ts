// Finds how many requests at a time a service handles well. The limit begins with 8, and grows while that brings more
// replies a second. A refusal, or replies that become slow, halve it.

export interface LimitState {
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

export interface RequestEnd {
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

export const initialLimit: LimitState = {
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

export function nextLimit(state: LimitState, { kind, beganAt, others, at }: RequestEnd): LimitState {
  if (kind === 'refused') {
    // The service took the other requests, so it may take as many again.
    const ceiling = Math.max(half(state.limit), Math.min(others, state.limit - 1));
    const isOld = beganAt < state.changedAt;
    return isOld ? state : halved({ ...state, ceiling }, at);
  }
  const { repliesToSkip, roundBeganAt } = state;
  if (repliesToSkip > 0) return { ...state, repliesToSkip: repliesToSkip - 1, roundBeganAt: at };
  const repliesInRound = state.repliesInRound + 1;
  if (repliesInRound < roundLength(state)) return { ...state, repliesInRound };
  const measured = { limit: state.limit, repliesPerMs: repliesInRound / Math.max(at - roundBeganAt, 1) };
  const measuredState = { ...state, roundBeganAt: at, repliesInRound: 0 };
  return state.isGrowing ? afterGrowth(measuredState, measured, at) : afterRound(measuredState, measured, at);
}

const roundLength = ({ limit, isGrowing }: LimitState): number =>
  Math.max(shortestRound, isGrowing ? limit : roundsUntilSlow * limit);

function afterGrowth(state: LimitState, measured: Measured, at: number): LimitState {
  const { best } = state;
  // Below a ceiling that a refusal showed, the service has taken more requests before.
  const hasRefused = state.ceiling < mostRequests;
  if (best !== undefined && !hasRefused && !isBetter(measured, best)) return settled(state, best, at);
  return state.limit < state.ceiling ? grown(state, measured, at) : settled(state, measured, at);
}

function isBetter(measured: Measured, best: Measured): boolean {
  const growth = measured.limit / best.limit - 1;
  return measured.repliesPerMs >= best.repliesPerMs * (1 + leastGain * growth);
}

function afterRound(state: LimitState, measured: Measured, at: number): LimitState {
  const { best = measured, ceiling } = state;
  if (measured.repliesPerMs * slowFactor < best.repliesPerMs) return halved(state, at);
  const repliesSinceGrowth = state.repliesSinceGrowth + roundLength(state);
  if (repliesSinceGrowth < repliesBeforeNextGrowth) return { ...state, best, repliesSinceGrowth };
  return grown({ ...state, ceiling: Math.min(mostRequests, ceiling + 1) }, measured, at);
}

function grown(state: LimitState, best: Measured, at: number): LimitState {
  const larger = Math.max(state.limit + 1, Math.floor(state.limit * growthFactor));
  return { ...withLimit(state, Math.min(state.ceiling, larger), at), best, isGrowing: true };
}

const settled = (state: LimitState, best: Measured, at: number): LimitState => ({
  ...withLimit(state, best.limit, at),
  best,
  isGrowing: false,
});

const half = (limit: number): number => Math.max(1, Math.floor(limit / 2));

const halved = (state: LimitState, at: number): LimitState => ({
  ...withLimit(state, half(state.limit), at),
  best: undefined,
  isGrowing: true,
});

const withLimit = (state: LimitState, limit: number, changedAt: number): LimitState => ({
  ...state,
  limit,
  changedAt,
  repliesToSkip: state.limit,
  repliesInRound: 0,
  repliesSinceGrowth: 0,
});
