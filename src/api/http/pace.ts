// How many requests a service takes well at a time: a pure function of what it answered so far.

export interface Pace {
  /** How many requests may be under way. */
  readonly limit: number;
  /** What is being found out; settled where nothing is. */
  readonly trying: 'more' | 'fewer' | 'settled';
  /** The limit to go back to, and how many answers a millisecond it brought. */
  readonly base: Measured | undefined;
  /** The answers since the limit changed. */
  readonly answers: number;
  /** How many of them do not count, because their requests were sent before. */
  readonly warmUp: number;
  /** When the round that is measured began. */
  readonly since: number;
  /** By which factor the limit grows or shrinks. */
  readonly step: number;
  /** How many answers to wait for before more is tried again. */
  readonly patience: number;
  /** Whether the service ever refused: then more is tried one by one. */
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
  patience: 64,
  wasRefused: false,
};

const longestPatience = 2_048;
/** Fewer answers say little. */
const shortestRound = 6;
/** A smaller step is not worth a look. */
const smallestStep = 1.15;
/** Of what more requests could bring at best, what they must bring to be kept. */
const leastGain = 0.05;
/** What fewer requests must bring to be kept: as many more answers. */
const leastGainOfFewer = 1.05;
/** So much slower than at the limit that was settled on is slow. */
const slow = 2;

/**
 * A refusal lowers the limit at once to what was under way before it, which is what the service took. Otherwise the limit
 * grows while more requests bring more answers a second. Where they bring no more, it goes back and tries smaller
 * steps, fewer and more by turns, until they make no difference. What was settled on is held until the answers
 * become slow, or until so many came that more is worth another try.
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

/** Answers come in bursts where somebody is held up: what is known already is not given up for one of them. */
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
    patience: Math.min(longestPatience, triedMore ? 4 * pace.patience : pace.patience),
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
  // Far off, a large step the other way; near, a smaller one.
  const step = pace.step ** (now.rate < 0.8 * base.rate ? 0.8 : 0.5);
  return take({ ...pace, step }, trying === 'more' ? 'fewer' : 'more', base);
}

function judgeSettled(pace: Pace, now: Measured): Pace {
  const { base = now } = pace;
  // What made it slow may be over soon, so that more is tried soon too.
  const { step, patience: soon } = startPace;
  if (now.rate * slow < base.rate) return take({ ...pace, step, patience: soon }, 'fewer', now);
  if (pace.answers < pace.patience) return { ...pace, base };
  const patience = Math.min(longestPatience, 4 * pace.patience);
  return take({ ...pace, patience, step: Math.sqrt(startPace.step) }, 'more', now);
}

/** A step from what is known, or no further one. */
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
