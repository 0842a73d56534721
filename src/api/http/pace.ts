// Finds how many requests at a time a service handles well, as a pure function of the answers so far. The answers are
// measured in rounds: a round is a number of answers under one limit, and its rate is the answers per millisecond.

export interface Pace {
  /** How many requests may be under way at the same time. */
  readonly limit: number;
  /** Whether a higher or lower limit is being tried; `settled` if neither. */
  readonly trying: 'more' | 'fewer' | 'settled';
  /** The best limit so far and its rate. If the tried limit is not better, this limit is used again. */
  readonly base: Measured | undefined;
  /** The number of answers since the limit changed. */
  readonly answers: number;
  /** The number of answers that are not measured, because their requests were sent under the old limit. */
  readonly warmUp: number;
  /** When the current round began. */
  readonly since: number;
  /** The factor by which the limit grows or shrinks. */
  readonly step: number;
  /** How many answers to wait for before a higher limit is tried again. */
  readonly answersBeforeRetry: number;
  /** Whether the service ever refused a request. The limit then grows by one at a time. */
  readonly wasRefused: boolean;
}

interface Measured {
  readonly limit: number;
  readonly rate: number;
}

export interface PaceEvent {
  /** `refused` means 429, 503 or a lost connection. */
  readonly kind: 'answered' | 'refused';
  readonly at: number;
  /** How many other requests were under way when this request was sent. */
  readonly othersUnderWay: number;
}

export const mostRequests = 32;

export const startPace: Pace = {
  limit: 8,
  trying: 'more',
  base: undefined,
  answers: 0,
  warmUp: 8,
  since: 0,
  step: 1.75,
  answersBeforeRetry: 64,
  wasRefused: false,
};

const maxAnswersBeforeRetry = 2_048;
/** `answersBeforeRetry` grows by this factor when the service refuses a higher limit, or when one is tried again. */
const retryGrowth = 4;
/** The fewest answers in a round. The rate of a shorter round would be random. */
const shortestRound = 6;
/** A round is longer by this factor if the limit is settled, or if the service has refused a request. */
const longRound = 4;
/** The effect of a smaller step could not be measured. */
const smallestStep = 1.15;
/**
 * A higher limit is kept if it brings at least this part of the possible gain. From 8 to 14 requests at a time, 75 % more
 * answers are possible, so 3.75 % more are enough.
 */
const leastGain = 0.05;
/** A lower limit is kept if its rate is more than this factor times the rate of the base. */
const leastGainOfFewer = 1.05;
/** Answers count as slow if their rate falls by this factor. */
const slowFactor = 2;
/** A rate below this part of the base's rate counts as a large fall. */
const largeFall = 0.8;
/** After a limit that was not better, the step is raised to this power. The power 0.5 is the square root. */
const usualShrink = 0.5;
/** After a large fall the step shrinks less, because the best limit is still far away. */
const shrinkAfterLargeFall = 0.8;

/**
 * A refusal lowers the limit at once to the number of requests that the service had accepted. Without a refusal, the
 * limit grows while a higher limit brings more answers per second. When a higher limit brings no more, the limit goes back
 * to the base. Then smaller steps down and up are tried until the steps make no difference, and the limit is settled. A new
 * limit is tried when the answers become slow, or after many answers.
 */
export function nextPace(pace: Pace, event: PaceEvent): Pace {
  if (event.kind === 'refused') return afterRefusal(pace, event);
  const answers = pace.answers + 1;
  const measured = answers - pace.warmUp;
  if (measured < 0) return { ...pace, answers };
  if (measured === 0) return { ...pace, answers, since: event.at };
  const round = roundOf(pace);
  if (measured % round !== 0) return { ...pace, answers };
  const rate = round / Math.max(event.at - pace.since, 0.001);
  return judge({ ...pace, answers, since: event.at }, { limit: pace.limit, rate });
}

/**
 * The number of answers in a round. A service that delays its answers sends them in bursts. So the rounds are longer for
 * a settled limit, and for each limit after a refusal.
 */
const roundOf = ({ limit, trying, wasRefused }: Pace): number =>
  Math.max(shortestRound, limit * (trying === 'settled' || wasRefused ? longRound : 1));

function afterRefusal(pace: Pace, { at, othersUnderWay }: PaceEvent): Pace {
  const triedMore = pace.trying === 'more' && pace.base !== undefined;
  return {
    ...pace,
    limit: Math.max(1, Math.min(pace.limit, othersUnderWay)),
    trying: 'settled',
    base: undefined,
    answers: 0,
    warmUp: pace.limit,
    since: at,
    answersBeforeRetry: triedMore ? laterRetry(pace) : pace.answersBeforeRetry,
    wasRefused: true,
  };
}

const laterRetry = ({ answersBeforeRetry }: Pace): number =>
  Math.min(maxAnswersBeforeRetry, retryGrowth * answersBeforeRetry);

/** At the end of a round, keeps the tried limit or goes back to the base, and chooses the next limit. */
function judge(pace: Pace, now: Measured): Pace {
  const { trying, base } = pace;
  if (trying === 'settled') return judgeSettled(pace, now);
  if (base === undefined) return take(pace, 'more', now);
  const possibleGain = now.limit / base.limit - 1;
  const isBetter =
    trying === 'more'
      ? now.rate >= base.rate * (1 + leastGain * possibleGain)
      : now.rate > base.rate * leastGainOfFewer;
  if (isBetter) return take(pace, trying, now);
  const step = pace.step ** (now.rate < largeFall * base.rate ? shrinkAfterLargeFall : usualShrink);
  return take({ ...pace, step }, trying === 'more' ? 'fewer' : 'more', base);
}

function judgeSettled(pace: Pace, now: Measured): Pace {
  const { base = now } = pace;
  if (now.rate * slowFactor < base.rate) {
    // The slowness may pass soon, so a higher limit is tried again soon.
    const { step, answersBeforeRetry } = startPace;
    return take({ ...pace, step, answersBeforeRetry }, 'fewer', now);
  }
  if (pace.answers < pace.answersBeforeRetry) return { ...pace, base };
  const step = Math.sqrt(startPace.step);
  return take({ ...pace, step, answersBeforeRetry: laterRetry(pace) }, 'more', now);
}

/** Tries a limit one step away from the base, or settles at the base. */
function take(pace: Pace, trying: 'more' | 'fewer', base: Measured): Pace {
  const limit = pace.step < smallestStep ? base.limit : stepFrom(base.limit, trying, pace);
  return {
    ...pace,
    limit,
    trying: limit === base.limit ? 'settled' : trying,
    base,
    answers: 0,
    warmUp: Math.max(pace.limit, limit),
  };
}

function stepFrom(limit: number, trying: 'more' | 'fewer', { step, wasRefused }: Pace): number {
  if (trying === 'fewer') return Math.max(1, Math.min(limit - 1, Math.round(limit / step)));
  const more = wasRefused ? limit + 1 : Math.max(limit + 1, Math.round(limit * step));
  return Math.min(mostRequests, more);
}
