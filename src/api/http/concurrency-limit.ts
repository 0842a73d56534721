// How many requests are sent at a time: one more after each round that went well, half as many after a refusal.

export interface LimitState {
  readonly limit: number;
  /** The limit at the last refusal. */
  readonly tooMany: number;
  readonly halvedAt: number;
  readonly round: { readonly beganAt: number; readonly replies: number; readonly totalMs: number };
  /** The mean time of a reply in the fastest round. */
  readonly fastestMs: number;
}

export interface RequestEnd {
  /** `refused` means status 429, status 503 or a lost connection. */
  readonly kind: 'replied' | 'refused';
  readonly beganAt: number;
  readonly at: number;
}

export const mostRequests = 32;

/** If replies take longer than this, more requests at a time would only make each one slower. */
const slowFactor = 2;
/** What was too many is tried again, but seldom: each try costs a refusal and half of the limit. */
const repliesUntilTriedAgain = 256;

export const initialLimit: LimitState = {
  limit: 8,
  tooMany: Number.POSITIVE_INFINITY,
  halvedAt: 0,
  round: newRound(0),
  fastestMs: Number.POSITIVE_INFINITY,
};

export function nextLimit(state: LimitState, { kind, beganAt, at }: RequestEnd): LimitState {
  const { limit, tooMany, halvedAt, round } = state;
  if (kind === 'refused') {
    if (beganAt < halvedAt) return state;
    const half = Math.max(1, Math.floor(limit / 2));
    return { ...state, limit: half, tooMany: limit, halvedAt: at, round: newRound(at) };
  }
  // Requests of earlier rounds were sent with another limit.
  if (beganAt < round.beganAt) return state;
  const replies = round.replies + 1;
  const totalMs = round.totalMs + at - beganAt;
  const length = limit + 1 < tooMany ? limit : repliesUntilTriedAgain;
  if (replies < length) return { ...state, round: { ...round, replies, totalMs } };
  const ms = totalMs / replies;
  const fastestMs = Math.min(state.fastestMs, ms);
  const isSlow = ms > slowFactor * fastestMs;
  const next = isSlow ? limit : Math.min(mostRequests, limit + 1);
  return { ...state, limit: next, fastestMs, round: newRound(at) };
}

function newRound(beganAt: number): LimitState['round'] {
  return { beganAt, replies: 0, totalMs: 0 };
}
