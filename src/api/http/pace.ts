// Finds how many requests at a time a service answers fastest. This number is the limit.
//
// Answers are measured in rounds. At the end of a round, the tried limit is kept if its rate of answers is better than the
// best rate so far. If not, a smaller step in the other direction is tried. When the steps become too small to measure,
// the search ends. A new search begins when the answers become slow, or after many answers.

export interface Pace {
  readonly limit: number;
  readonly trying: Direction | 'nothing';
  readonly best: Measured | undefined;
  readonly answersAtLimit: number;
  /** The requests for these answers were sent before the limit changed, so the answers are not measured. */
  readonly answersToSkip: number;
  readonly roundBeganAt: number;
  readonly stepFactor: number;
  readonly answersBeforeNextSearch: number;
  readonly wasRefused: boolean;
}

type Direction = 'higher' | 'lower';

interface Measured {
  readonly limit: number;
  readonly answersPerMs: number;
}

export interface PaceEvent {
  /** `refused` means a 429, a 503 or a lost connection. */
  readonly kind: 'answered' | 'refused';
  readonly at: number;
  /** How many other requests were under way when this request was sent. */
  readonly othersUnderWay: number;
}

export const mostRequests = 32;

export const startPace: Pace = {
  limit: 8,
  trying: 'higher',
  best: undefined,
  answersAtLimit: 0,
  answersToSkip: 8,
  roundBeganAt: 0,
  stepFactor: 1.75,
  answersBeforeNextSearch: 64,
  wasRefused: false,
};

const mostAnswersBeforeNextSearch = 2_048;
const nextSearchGrowth = 4;
const shortestRound = 6;
const longRoundFactor = 4;
const smallestStepFactor = 1.15;
/**
 * A higher limit is kept if the rate grows by at least this part of the limit's growth. From 8 to 14 requests, the limit
 * grows by 75 %, so the rate has to grow by 3.75 %.
 */
const leastPartOfGrowth = 0.05;
const leastGainOfLowerLimit = 1.05;
const slowFactor = 2;
const largeFall = 0.8;
const usualShrinkPower = 0.5;
const shrinkPowerAfterLargeFall = 0.8;

export function nextPace(pace: Pace, event: PaceEvent): Pace {
  if (event.kind === 'refused') return afterRefusal(pace, event);
  const counted = { ...pace, answersAtLimit: pace.answersAtLimit + 1 };
  const measuredAnswers = counted.answersAtLimit - pace.answersToSkip;
  const round = roundLength(pace);
  const isBetweenRounds = measuredAnswers >= 0 && measuredAnswers % round === 0;
  if (!isBetweenRounds) return counted;
  const nextRound = { ...counted, roundBeganAt: event.at };
  if (measuredAnswers === 0) return nextRound;
  const answersPerMs = round / Math.max(event.at - pace.roundBeganAt, 0.001);
  return afterRound(nextRound, { limit: pace.limit, answersPerMs });
}

/** Only a long round measures bursts of answers correctly. During a search, rounds are short, so that the search ends soon. */
const roundLength = ({ limit, trying, wasRefused }: Pace): number =>
  Math.max(shortestRound, limit * (trying === 'nothing' || wasRefused ? longRoundFactor : 1));

function afterRefusal(pace: Pace, { at, othersUnderWay }: PaceEvent): Pace {
  const wasTryingHigher = pace.trying === 'higher' && pace.best !== undefined;
  return {
    ...pace,
    limit: Math.max(1, Math.min(pace.limit, othersUnderWay)),
    trying: 'nothing',
    best: undefined,
    answersAtLimit: 0,
    answersToSkip: pace.limit,
    roundBeganAt: at,
    answersBeforeNextSearch: wasTryingHigher ? laterSearch(pace) : pace.answersBeforeNextSearch,
    wasRefused: true,
  };
}

const laterSearch = ({ answersBeforeNextSearch }: Pace): number =>
  Math.min(mostAnswersBeforeNextSearch, nextSearchGrowth * answersBeforeNextSearch);

function afterRound(pace: Pace, now: Measured): Pace {
  const { trying, best } = pace;
  if (trying === 'nothing') return afterRoundWithoutTrial(pace, now);
  if (best === undefined) return stepOrEndSearch(pace, 'higher', now);
  if (isBetter(now, best)) return stepOrEndSearch(pace, trying, now);
  const hasFallenFar = now.answersPerMs < largeFall * best.answersPerMs;
  const stepFactor = pace.stepFactor ** (hasFallenFar ? shrinkPowerAfterLargeFall : usualShrinkPower);
  return stepOrEndSearch({ ...pace, stepFactor }, trying === 'higher' ? 'lower' : 'higher', best);
}

function isBetter(now: Measured, best: Measured): boolean {
  if (now.limit < best.limit) return now.answersPerMs > best.answersPerMs * leastGainOfLowerLimit;
  const limitGrowth = now.limit / best.limit - 1;
  return now.answersPerMs >= best.answersPerMs * (1 + leastPartOfGrowth * limitGrowth);
}

function afterRoundWithoutTrial(pace: Pace, now: Measured): Pace {
  const { best = now } = pace;
  if (now.answersPerMs * slowFactor < best.answersPerMs) {
    // The service may be slow only for a short time, so the next search begins soon.
    const { stepFactor, answersBeforeNextSearch } = startPace;
    return stepOrEndSearch({ ...pace, stepFactor, answersBeforeNextSearch }, 'lower', now);
  }
  if (pace.answersAtLimit < pace.answersBeforeNextSearch) return { ...pace, best };
  const stepFactor = Math.sqrt(startPace.stepFactor);
  return stepOrEndSearch({ ...pace, stepFactor, answersBeforeNextSearch: laterSearch(pace) }, 'higher', now);
}

function stepOrEndSearch(pace: Pace, direction: Direction, best: Measured): Pace {
  const isStepTooSmall = pace.stepFactor < smallestStepFactor;
  const limit = isStepTooSmall ? best.limit : stepFrom(best.limit, direction, pace);
  const endsSearch = limit === best.limit;
  return {
    ...pace,
    limit,
    trying: endsSearch ? 'nothing' : direction,
    best,
    answersAtLimit: 0,
    answersToSkip: Math.max(pace.limit, limit),
  };
}

function stepFrom(limit: number, direction: Direction, { stepFactor, wasRefused }: Pace): number {
  if (direction === 'lower') return Math.max(1, Math.min(limit - 1, Math.round(limit / stepFactor)));
  const higher = wasRefused ? limit + 1 : Math.max(limit + 1, Math.round(limit * stepFactor));
  return Math.min(mostRequests, higher);
}
