import { longestCode, longestReadme, mostErrorBytes, namePattern } from '../../lib/val-limits.ts';
import type { Positions } from '../store/positions.ts';
import { type Privacy, valPositions, versionPositions } from '../store/read-vals.ts';
import { recordPositions } from '../store/records.ts';
import { searchPositions } from '../store/search.ts';
import type { ReportedRun } from '../store/store.ts';
import { sortableTime } from '../store/time.ts';
import { newValDefaults } from '../store/write-vals.ts';
import {
  type BodyField,
  body,
  type Check,
  choice,
  integer,
  matching,
  optional,
  orNull,
  type Parameter,
  type Query,
  query,
  refuse,
  string,
  thenCheck,
  time,
  timestamp,
} from './fields.ts';

const longestSearch = 200;

const privacies: readonly Privacy[] = ['public', 'unlisted', 'private'];
const privacy: BodyField<Privacy> = {
  schema: { enum: privacies },
  read(value, name) {
    const known = privacies.find((word) => word === value);
    if (known === undefined) throw refuse(name, 'must be public, unlisted or private');
    return known;
  },
};

const versionNumber: BodyField<number> = {
  schema: { type: 'integer', minimum: 0 },
  read(value, name) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw refuse(name, 'must be an integer of at least 0');
  },
};

const name = matching(
  namePattern,
  'must start with a letter and have 1 to 48 letters, digits or underscores',
);
const code = string(longestCode, { min: 1 });
const readme = orNull(string(longestReadme));
const type = matching(
  /^[a-z][a-z0-9_-]{0,31}$/,
  'must start with a lowercase letter and have 1 to 32 lowercase letters, digits, - or _',
);

export const newVal = thenCheck(body({ code }, { name, readme, privacy, type }), ({ name, ...given }) => ({
  ...newValDefaults,
  ...given,
  name,
}));

export const newVersion = body({ code }, { name, readme, privacy, type });

export const changedFacts = body({}, { name, readme, privacy });

export const nameAndCode = body({ name, code }, { type });

export const reportedRun = thenCheck(
  body(
    { version: versionNumber, runStartAt: timestamp, runEndAt: timestamp },
    { error: orNull(string(mostErrorBytes, { maxBytes: mostErrorBytes })) },
  ),
  ({ error = null, ...run }): ReportedRun => {
    if (`${sortableTime(run.runEndAt)}` < `${sortableTime(run.runStartAt)}`) {
      throw refuse('runEndAt', 'must not be before runStartAt');
    }
    return { ...run, error };
  },
);

const paging = <Position extends readonly (string | number)[]>(positions: Positions<Position>) => ({
  limit: integer(20, 1, 100),
  offset: integer(0, 0, Number.MAX_SAFE_INTEGER),
  after: optional(
    {
      type: 'string',
      description: 'The end of the previous page. Use links.next, which contains this parameter.',
    },
    (text, name) => {
      const found = positions.read(text);
      if (!found) throw refuse(name, 'must be copied from links.next of the previous page');
      return found;
    },
  ),
});

const period = { since: time, until: time };

function paged<Position, More>({
  after,
  ...given
}: More & { offset: number; after: { position: Position; recordsBefore: number } | undefined }) {
  if (after && given.offset > 0) throw refuse('offset', 'must not be given with the parameter "after"');
  return { ...given, after: after?.position, recordsBefore: after?.recordsBefore ?? given.offset };
}

export const vals = thenCheck(query(paging(valPositions)), paged);

export const versions = thenCheck(query(paging(versionPositions)), paged);

export const likes = thenCheck(query(paging(recordPositions)), paged);

export const references = thenCheck(query({ ...paging(recordPositions), ...period }), paged);

const searchText: Parameter<string> = {
  schema: { type: 'string', minLength: 1, maxLength: longestSearch },
  isRequired: true,
  read(text = '', name) {
    if (text === '') throw refuse(name, 'must be given');
    if (text.length > longestSearch) throw refuse(name, `must have at most ${longestSearch} characters`);
    return text;
  },
};

export const search = thenCheck(
  query({ query: searchText, mine: choice({ true: true, false: false }), ...paging(searchPositions) }),
  ({ query: text, mine: onlyOwn = false, ...given }) => ({ text, onlyOwn, ...paged(given) }),
);

export const runs = thenCheck(
  query({ ...paging(recordPositions), ...period, error: choice({ true: 'failed', false: 'passed' }) }),
  ({ error: tag, ...given }) => ({ tag, ...paged(given) }),
);

export const comments = thenCheck(
  query({
    ...paging(recordPositions),
    ...period,
    relationship: choice({ any: undefined, given: 'given', received: 'received' }),
  }),
  ({ relationship: tag, ...given }) => ({ tag, ...paged(given) }),
);

export interface PageRequest {
  val?: string;
  version?: number;
  from?: number;
  page: number;
}

export const pageRequest: Check<Query, PageRequest> = query({
  val: optional({ type: 'string' }, (text) => text),
  version: optional({ type: 'integer', minimum: 0 }, parseVersion),
  from: optional({ type: 'integer', minimum: 0 }, parseVersion),
  page: integer(1, 1, 1_000_000_000),
});

export function parseVersion(text: string): number {
  if (!/^(0|[1-9]\d*)$/.test(text)) throw refuse('version', 'must be an integer of at least 0');
  return Number(text);
}
