// How many requests are sent at a time: one more after each round that went well, half as many after a refusal.

export interface LimitState {
  readonly limit: number;
  /** A refusal shows how many requests are too many. */
  readonly ceiling: number;
  readonly halvedAt: number;
  /** A round has as many replies as requests are sent at a time. */
  readonly round: { readonly beganAt: number; readonly replies: number; readonly totalMs: number };
  /** The mean time of a reply in the fastest round. */
  readonly fastestMs: number;
  readonly repliesAtCeiling: number;
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

/** If replies take longer than this, more requests at a time would only make each one slower. */
const slowFactor = 2;
const repliesUntilCeilingRises = 256;

export const initialLimit: LimitState = {
  limit: 8,
  ceiling: mostRequests,
  halvedAt: 0,
  round: { beganAt: 0, replies: 0, totalMs: 0 },
  fastestMs: Number.POSITIVE_INFINITY,
  repliesAtCeiling: 0,
};

export function nextLimit(state: LimitState, end: RequestEnd): LimitState {
  if (end.kind === 'refused') return end.beganAt < state.halvedAt ? state : halved(state, end);
  // Requests of earlier rounds were sent with another limit.
  if (end.beganAt < state.round.beganAt) return state;
  const { beganAt, replies, totalMs } = state.round;
  const round = { beganAt, replies: replies + 1, totalMs: totalMs + end.at - end.beganAt };
  return round.replies < state.limit ? { ...state, round } : afterRound({ ...state, round }, end.at);
}

function halved(state: LimitState, { others, at }: RequestEnd): LimitState {
  const limit = Math.max(1, Math.floor(state.limit / 2));
  // The service took the other requests, so it may take as many again.
  const ceiling = Math.max(limit, Math.min(others, state.limit - 1));
  return { ...state, limit, ceiling, halvedAt: at, round: newRound(at), repliesAtCeiling: 0 };
}

function afterRound(state: LimitState, at: number): LimitState {
  const ms = state.round.totalMs / state.round.replies;
  const fastestMs = Math.min(state.fastestMs, ms);
  const next = { ...state, round: newRound(at), fastestMs };
  if (ms > slowFactor * fastestMs) return next;
  if (state.limit < state.ceiling) return { ...next, limit: state.limit + 1 };
  const repliesAtCeiling = state.repliesAtCeiling + state.round.replies;
  if (repliesAtCeiling < repliesUntilCeilingRises) return { ...next, repliesAtCeiling };
  return { ...next, ceiling: Math.min(mostRequests, state.ceiling + 1), repliesAtCeiling: 0 };
}

const newRound = (beganAt: number): LimitState['round'] => ({ beganAt, replies: 0, totalMs: 0 });
