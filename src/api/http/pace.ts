// Finds how many requests at a time a service handles well, as a pure function of the answers so far.

export interface Pace {
  /** How many requests may be under way. */
  readonly limit: number;
  /** Whether a higher or lower limit is being tried; `settled` if neither. */
  readonly trying: 'more' | 'fewer' | 'settled';
  /** The limit to go back to, with its rate: answers per millisecond. */
  readonly base: Measured | undefined;
  /** The answers since the limit changed. */
  readonly answers: number;
  /** The number of answers that are not measured, because their requests were sent under the old limit. */
  readonly warmUp: number;
  /** When the measured round began. */
  readonly since: number;
  /** The factor by which the limit grows or shrinks. */
  readonly step: number;
  /** How many answers to wait for before a higher limit is tried again. */
  readonly retryAfter: number;
  /** Whether the service ever refused a request. The limit then grows by one at a time. */
  readonly wasRefused: boolean;
}

interface Measured {
  readonly limit: number;
  readonly rate: number;
}

export interface PaceEvent {
  /** Refused: 429, 503 or a lost connection. */
  readonly kind: 'answered' | 'refused';
  readonly at: number;
  /** How many other requests were under way when this one was sent. */
  readonly others: number;
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
  retryAfter: 64,
  wasRefused: false,
};

/** The longest `retryAfter`. */
const longestWait = 2_048;
/** The number of answers. A shorter round would measure chance. */
const shortestRound = 6;
/** A smaller step makes no difference that could be measured. */
const smallestStep = 1.15;
/** A higher limit is kept if it brings at least this part of the possible gain. */
const leastGain = 0.05;
/** A lower limit is kept if its rate is at least this many times the rate before. */
const leastGainOfFewer = 1.05;
/** Answers count as slow if their rate falls by this factor. */
const slow = 2;

/**
 * A refusal lowers the limit at once to the number of requests that the service had accepted. Otherwise the limit grows
 * while a higher one brings more answers per second. If it does not, the limit goes back, and smaller steps down and up are
 * tried until they make no difference. Then the limit is settled. It is tried again when the answers become slow, or after
 * many answers.
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

/** Answers come in bursts when a service delays them, so a settled limit is judged by longer rounds. */
const roundOf = ({ limit, trying, wasRefused }: Pace): number =>
  Math.max(shortestRound, limit * (trying === 'settled' || wasRefused ? 4 : 1));

function afterRefusal(pace: Pace, { at, others }: PaceEvent): Pace {
  const triedMore = pace.trying === 'more' && pace.base !== undefined;
  return {
    ...pace,
    limit: Math.max(1, Math.min(pace.limit, others)),
    trying: 'settled',
    base: undefined,
    answers: 0,
    warmUp: pace.limit,
    since: at,
    retryAfter: Math.min(longestWait, triedMore ? 4 * pace.retryAfter : pace.retryAfter),
    wasRefused: true,
  };
}

function judge(pace: Pace, now: Measured): Pace {
  const { trying, base } = pace;
  if (trying === 'settled') return judgeSettled(pace, now);
  if (base === undefined) return take(pace, 'more', now);
  const possible = now.limit / base.limit - 1;
  const isBetter =
    trying === 'more'
      ? now.rate >= base.rate * (1 + leastGain * possible)
      : now.rate > base.rate * leastGainOfFewer;
  if (isBetter) return take(pace, trying, now);
  // After a large fall of the rate, the next step is larger than after a small one.
  const step = pace.step ** (now.rate < 0.8 * base.rate ? 0.8 : 0.5);
  return take({ ...pace, step }, trying === 'more' ? 'fewer' : 'more', base);
}

function judgeSettled(pace: Pace, now: Measured): Pace {
  const { base = now } = pace;
  // The slowness may pass soon, so a higher limit is tried again soon.
  const { step, retryAfter: soon } = startPace;
  if (now.rate * slow < base.rate) return take({ ...pace, step, retryAfter: soon }, 'fewer', now);
  if (pace.answers < pace.retryAfter) return { ...pace, base };
  const retryAfter = Math.min(longestWait, 4 * pace.retryAfter);
  return take({ ...pace, retryAfter, step: Math.sqrt(startPace.step) }, 'more', now);
}

/** Takes a step from the base, or settles there. */
function take(pace: Pace, trying: 'more' | 'fewer', base: Measured): Pace {
  const limit = pace.step < smallestStep ? base.limit : stepped(pace, trying, base.limit);
  return {
    ...pace,
    limit,
    trying: limit === base.limit ? 'settled' : trying,
    base,
    answers: 0,
    warmUp: Math.max(pace.limit, limit),
  };
}

function stepped({ step, wasRefused }: Pace, trying: 'more' | 'fewer', from: number): number {
  if (trying === 'fewer') return Math.max(1, Math.min(from - 1, Math.round(from / step)));
  const more = wasRefused ? from + 1 : Math.max(from + 1, Math.round(from * step));
  return Math.min(mostRequests, more);
}
