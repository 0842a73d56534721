import { longestCode, longestReadme, mostErrorBytes, namePattern } from '../../core/lib/val-limits.ts';
import {
  anyText,
  type BodyField,
  body,
  choice,
  flag,
  integerParameter,
  optional,
  orNull,
  type Parameter,
  query,
  refuse,
  text,
  thenCheck,
  timeParameter,
  timestamp,
  wordOf,
} from '../fields.ts';
import { largestOffset, longestSearch, mostOnPage } from '../limits.ts';
import { newValDefaults } from '../store/create-val.ts';
import {
  type Positions,
  recordPositions,
  runPositions,
  valPositions,
  versionPositions,
} from '../store/positions.ts';
import type { ReportedRun } from '../store/runs.ts';
import { sortableTime } from '../store/timestamps.ts';
import type { WantedToken } from '../store/tokens.ts';
import { privacies, valTypes } from '../store/val-rows.ts';

const versionNumber: BodyField<number> = {
  schema: { type: 'integer', minimum: 0 },
  read(value, name) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw refuse(name, 'must be an integer of at least 0');
  },
};

const name = text({
  pattern: namePattern,
  rule: 'must start with a letter and have 1 to 48 letters, digits or underscores',
});
const code = text({ min: 1, max: longestCode });
const readme = orNull(text({ max: longestReadme }));
const privacy = wordOf(privacies);
const type = wordOf(valTypes);

export const newVal = thenCheck(body({ name, code }, { readme, privacy, type }), (given) => ({
  ...newValDefaults,
  ...given,
}));

export const newVersion = body({ code }, { name, readme, privacy, type });

export const changedProperties = body({}, { name, readme, privacy, type });

export const nameAndCode = body({ name, code }, { type });

export const reportedRun = thenCheck(
  body(
    { version: versionNumber, runStartAt: timestamp, runEndAt: orNull(timestamp) },
    { error: orNull(text({ max: mostErrorBytes })), logs: orNull(text()) },
  ),
  ({ error = null, logs = null, ...run }): ReportedRun => {
    const { runStartAt, runEndAt } = run;
    if (runEndAt !== null && `${sortableTime(runEndAt)}` < `${sortableTime(runStartAt)}`) {
      throw refuse('runEndAt', 'must not be before runStartAt');
    }
    return { ...run, error, logs };
  },
);

const tokenName = text({
  pattern: /^[^\p{C}\s]([^\p{C}]{0,62}[^\p{C}\s])?$/u,
  rule: 'must have 1 to 64 visible characters, and no space at its ends',
});

export const newToken = thenCheck(
  body({ name: tokenName }, { readOnly: flag, expiresAt: orNull(timestamp) }),
  ({ name, readOnly = false, expiresAt = null }): WantedToken => {
    if (expiresAt === null) return { name, readOnly, expiresAt };
    const end = new Date(expiresAt);
    if (end.getTime() <= Date.now()) throw refuse('expiresAt', 'must be in the future');
    return { name, readOnly, expiresAt: end.toISOString() };
  },
);

/** Where the previous page of a list ended. */
export const position = <Position extends readonly (string | number)[]>(positions: Positions<Position>) =>
  optional(
    {
      type: 'string',
      description: 'The end of the previous page. Use links.next, which contains this parameter.',
    },
    (text, name) => {
      const found = positions.read(text);
      if (!found) throw refuse(name, 'must be copied from links.next of the previous page');
      return found;
    },
  );

const paging = <Position extends readonly (string | number)[]>(positions: Positions<Position>) => ({
  limit: integerParameter({ min: 1, max: mostOnPage, fallback: 20 }),
  offset: integerParameter({
    min: 0,
    max: largestOffset,
    fallback: 0,
    otherwise: '. Follow links.next instead',
  }),
  after: position(positions),
});

const period = { since: timeParameter, until: timeParameter };

export const vals = query(paging(valPositions));

export const versions = query(paging(versionPositions));

export const page = query(paging(recordPositions));

export const references = query({
  ...paging(recordPositions),
  ...period,
  val: { ...anyText, schema: { type: 'string', description: 'Only what imports the val with this id.' } },
});

export function notTooLong(text: string, name: string): string {
  if (text.length > longestSearch) throw refuse(name, `must have at most ${longestSearch} characters`);
  return text;
}

const searchText: Parameter<string> = {
  schema: { type: 'string', minLength: 1, maxLength: longestSearch },
  isRequired: true,
  read(text = '', name) {
    if (text === '') throw refuse(name, 'must be given');
    return notTooLong(text, name);
  },
};

export const search = thenCheck(
  query({ query: searchText, mine: choice({ true: true, false: false }), ...paging(valPositions) }),
  ({ query: text, mine: onlyOwn = false, ...range }) => ({ text, onlyOwn, ...range }),
);

export const runs = thenCheck(
  query({ ...paging(runPositions), ...period, error: choice({ true: true, false: false }) }),
  ({ error: failed, ...range }) => ({ failed, ...range }),
);

export const comments = thenCheck(
  query({
    ...paging(recordPositions),
    ...period,
    relationship: choice({ any: undefined, given: 'given', received: 'received' }),
  }),
  ({ relationship: tag, ...range }) => ({ tag, ...range }),
);

export function parseVersion(text: string): number {
  if (!/^(0|[1-9]\d*)$/.test(text)) throw refuse('version', 'must be an integer of at least 0');
  return Number(text);
}
