import { mostErrorBytes, namePattern } from '../../core/lib/val-limits.ts';
import {
  check,
  checkQuery,
  flag,
  noted,
  oneOf,
  orNull,
  record,
  refuse,
  type Schema,
  text,
  time,
} from '../json-schema.ts';
import { largestOffset, longestCode, longestReadme, longestSearch, mostOnPage } from '../limits.ts';
import { newValDefaults } from '../store/change-val.ts';
import {
  type Positions,
  recordPositions,
  runPositions,
  valPositions,
  versionPositions,
} from '../store/positions.ts';
import type { ReportedRun } from '../store/runs.ts';
import type { WantedToken } from '../store/tokens.ts';
import { privacies, valTypes } from '../store/vals.ts';

/** What a request may send: described in OpenAPI, and read into what the store takes. */
interface Input<Given, Value> {
  schema: Schema;
  read(given: Given): Value;
}

type Body = Record<string, unknown>;

export type BodyInput<Value> = Input<Body, Value>;
export type QueryInput<Value> = Input<URLSearchParams, Value>;

const body = <Described, Value = Described>(
  schema: Schema<Described>,
  then: (value: Described) => Value,
): BodyInput<Value> => ({ schema, read: (given) => then(check(schema, given)) });

const same = <Value>(value: Value): Value => value;

export const query = <Described>(schema: Schema<Described>): QueryInput<Described> => ({
  schema,
  read: (given) => checkQuery(schema, given),
});

const name: Schema<string> = {
  type: 'string',
  pattern: namePattern.source,
  'x-rule': 'must start with a letter and have 1 to 48 letters, digits or underscores',
};
const code: Schema<string> = { type: 'string', minLength: 1, maxLength: longestCode };
const readme = orNull<string>({ type: 'string', maxLength: longestReadme });
const privacy = oneOf(privacies);
const type = oneOf(valTypes);

export const newVal = body(record({ name, code }, { readme, privacy, type }), (given) => ({
  ...newValDefaults,
  ...given,
}));

export const newVersion = body(record({ code }, { name, readme, privacy, type }), same);

export const changedProperties = body(record({}, { name, readme, privacy, type }), same);

export const nameAndCode = body(record({ name, code }, { type }), same);

export const version: Schema<number> = { type: 'integer', minimum: 0 };
const error = orNull<string>({ type: 'string', maxLength: mostErrorBytes, 'x-max-bytes': mostErrorBytes });

export const reportedRun = body(
  record({ version, runStartAt: time, runEndAt: orNull(time) }, { error, logs: orNull(text) }),
  ({ error = null, logs = null, ...run }): ReportedRun => {
    if (run.runEndAt !== null && Date.parse(run.runEndAt) < Date.parse(run.runStartAt)) {
      throw refuse('runEndAt', 'must not be before runStartAt');
    }
    return { ...run, error, logs };
  },
);

const tokenName: Schema<string> = {
  type: 'string',
  pattern: /^[^\p{C}\s]([^\p{C}]{0,62}[^\p{C}\s])?$/u.source,
  'x-rule': 'must have 1 to 64 visible characters, and no space at its ends',
};

export const newToken = body(
  record({ name: tokenName }, { readOnly: flag, expiresAt: orNull(time) }),
  ({ name, readOnly = false, expiresAt = null }): WantedToken => {
    if (expiresAt === null) return { name, readOnly, expiresAt };
    const end = new Date(expiresAt);
    if (end.getTime() <= Date.now()) throw refuse('expiresAt', 'must be in the future');
    return { name, readOnly, expiresAt: end.toISOString() };
  },
);

const after = noted(text, 'The end of the previous page. Use links.next, which contains this parameter.');

/** Where the previous page of a list ended. */
export function positionIn<Position extends readonly (string | number)[]>(
  positions: Positions<Position>,
  given: string | undefined,
  field = 'after',
): Position | undefined {
  if (given === undefined) return undefined;
  const found = positions.read(given);
  if (!found) throw refuse(field, 'must be copied from links.next of the previous page');
  return found;
}

const limit: Schema<number> = { type: 'integer', minimum: 1, maximum: mostOnPage, default: 20 };
const offset: Schema<number> = {
  type: 'integer',
  minimum: 0,
  maximum: largestOffset,
  default: 0,
  'x-rule': `must be an integer from 0 to ${largestOffset}; links.next leads further`,
};
const paging = { limit, offset, after };

interface Paging {
  limit?: number;
  offset?: number;
  after?: string;
}

/** A position counts more than an offset, which is ignored beside it. */
const pageOf = <Described extends Paging, Position extends readonly (string | number)[]>(
  positions: Positions<Position>,
  schema: Schema<Described>,
): QueryInput<
  Omit<Described, keyof Paging> & { limit: number; offset: number; after: Position | undefined }
> => ({
  schema,
  read(given) {
    const params = new URLSearchParams(given);
    if (params.has('after')) params.delete('offset');
    const { limit = 20, offset = 0, after, ...others } = checkQuery(schema, params);
    return { ...others, limit, offset, after: positionIn(positions, after) };
  },
});

export const vals = pageOf(valPositions, record({}, paging));

export const versions = pageOf(versionPositions, record({}, paging));

export const likes = pageOf(recordPositions, record({}, paging));

const period = { since: time, until: time };

export const references = pageOf(
  recordPositions,
  record({}, { ...paging, ...period, val: noted(text, 'Only what imports the val with this id.') }),
);

export const searchText: Schema<string> = { type: 'string', maxLength: longestSearch };

export const search = pageOf(valPositions, record({ query: { ...searchText, minLength: 1 } }, paging));

export const runs = pageOf(runPositions, record({}, { ...paging, ...period, error: flag }));

export const comments = pageOf(
  recordPositions,
  record({}, { ...paging, ...period, relationship: oneOf(['any', 'given', 'received']) }),
);

export function parseVersion(text: string): number {
  if (!/^(0|[1-9]\d*)$/.test(text)) throw refuse('version', 'must be an integer of at least 0');
  return Number(text);
}
