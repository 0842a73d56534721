// Finds the best limit: the number of simultaneous requests at which a service sends the most answers per second.
//
// A search tries one limit after another, and measures the rate of one round of answers at each limit. After a better
// rate, the search goes on in the same direction. After a worse rate, the search returns to the best limit and tries a
// smaller step in the other direction. The search ends when the steps are too small. A new search begins when the
// answers become slow, or after many answers.

export interface Pace {
  readonly limit: number;
  readonly trying: Direction | 'nothing';
  readonly best: Measured | undefined;
  readonly stepFactor: number;
  /** This many answers are not measured, because their requests were sent before the limit changed. */
  readonly answersToSkip: number;
  readonly answersInRound: number;
  readonly roundBeganAt: number;
  readonly answersSinceSearch: number;
  readonly answersBeforeNextSearch: number;
  readonly hasRefused: boolean;
}

type Direction = 'higher' | 'lower';

interface Measured {
  readonly limit: number;
  readonly answersPerMs: number;
}

export interface PaceEvent {
  /** `refused` means status 429, status 503 or a lost connection. */
  readonly kind: 'answered' | 'refused';
  readonly at: number;
  /** The number of other requests under way when this request began. After a refusal, it becomes the limit. */
  readonly othersAtStart: number;
}

export const mostRequests = 32;

const shortestRound = 6;
const shortestRoundMs = 0.001;
const roundFactorBetweenSearches = 4;

/** The step factor of each search after the first. */
const laterStepFactor = 1.3;
const smallestStepFactor = 1.15;
/** After each change of direction, the step factor is raised to this power. */
const stepShrinkExponent = 0.6;
/** If the limit is doubled, the rate of answers must grow by this share to count as better. */
const gainForDoubledLimit = 0.05;

/** A search for a lower limit begins if the rate of answers falls by this factor. */
const slowFactor = 2;
const searchIntervalGrowth = 4;
const mostAnswersBeforeNextSearch = 2_048;

export const startPace: Pace = {
  limit: 8,
  trying: 'higher',
  best: undefined,
  stepFactor: 1.75,
  answersToSkip: 8,
  answersInRound: 0,
  roundBeganAt: 0,
  answersSinceSearch: 0,
  answersBeforeNextSearch: 64,
  hasRefused: false,
};

export function nextPace(pace: Pace, event: PaceEvent): Pace {
  const { limit, answersToSkip, roundBeganAt } = pace;
  if (event.kind === 'refused') return afterRefusal(pace, event.othersAtStart);
  if (answersToSkip > 0) return { ...pace, answersToSkip: answersToSkip - 1, roundBeganAt: event.at };
  const answersInRound = pace.answersInRound + 1;
  if (answersInRound < roundLength(pace)) return { ...pace, answersInRound };
  const answersPerMs = answersInRound / Math.max(event.at - roundBeganAt, shortestRoundMs);
  return afterRound({ ...pace, answersInRound: 0, roundBeganAt: event.at }, { limit, answersPerMs });
}

const roundLength = ({ limit, trying }: Pace): number =>
  Math.max(shortestRound, trying === 'nothing' ? roundFactorBetweenSearches * limit : limit);

const afterRefusal = (pace: Pace, othersAtStart: number): Pace => ({
  ...withLimit(pace, Math.max(1, Math.min(pace.limit, othersAtStart))),
  trying: 'nothing',
  best: undefined,
  hasRefused: true,
});

const withLimit = (pace: Pace, limit: number): Pace => ({
  ...pace,
  limit,
  answersToSkip: pace.limit,
  answersInRound: 0,
  answersSinceSearch: 0,
});

function afterRound(pace: Pace, now: Measured): Pace {
  const { trying, best, stepFactor } = pace;
  if (trying === 'nothing') return afterRoundBetweenSearches(pace, now);
  if (best === undefined || isBetter(now, best)) return stepOrEndSearch(pace, trying, now);
  const otherDirection = trying === 'higher' ? 'lower' : 'higher';
  return stepOrEndSearch({ ...pace, stepFactor: stepFactor ** stepShrinkExponent }, otherDirection, best);
}

function isBetter(now: Measured, best: Measured): boolean {
  const limitGrowth = now.limit / best.limit - 1;
  return now.answersPerMs >= best.answersPerMs * (1 + gainForDoubledLimit * limitGrowth);
}

function afterRoundBetweenSearches(pace: Pace, now: Measured): Pace {
  const { best = now } = pace;
  if (now.answersPerMs * slowFactor < best.answersPerMs) {
    const { answersBeforeNextSearch } = startPace;
    return stepOrEndSearch({ ...pace, stepFactor: laterStepFactor, answersBeforeNextSearch }, 'lower', now);
  }
  const answersSinceSearch = pace.answersSinceSearch + roundLength(pace);
  if (answersSinceSearch < pace.answersBeforeNextSearch) return { ...pace, best, answersSinceSearch };
  const longerInterval = searchIntervalGrowth * pace.answersBeforeNextSearch;
  const answersBeforeNextSearch = Math.min(mostAnswersBeforeNextSearch, longerInterval);
  return stepOrEndSearch({ ...pace, stepFactor: laterStepFactor, answersBeforeNextSearch }, 'higher', now);
}

function stepOrEndSearch(pace: Pace, direction: Direction, best: Measured): Pace {
  const isStepTooSmall = pace.stepFactor < smallestStepFactor;
  const limit = isStepTooSmall ? best.limit : stepFrom(best.limit, direction, pace);
  const endsSearch = limit === best.limit;
  return { ...withLimit(pace, limit), trying: endsSearch ? 'nothing' : direction, best };
}

function stepFrom(limit: number, direction: Direction, { stepFactor, hasRefused }: Pace): number {
  if (direction === 'lower') return Math.max(1, Math.min(limit - 1, Math.round(limit / stepFactor)));
  // A service that refused a request probably has a fixed limit, so the next limit is only one higher.
  const higher = hasRefused ? limit + 1 : Math.max(limit + 1, Math.round(limit * stepFactor));
  return Math.min(mostRequests, higher);
}
