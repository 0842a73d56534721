// Checks of requests: each takes a body or a query, and returns what the store needs or refuses the request.
import { longestCode, longestReadme, namePattern } from '../lib/val-limits.ts';
import type { Positions } from './positions.ts';
import { Problem } from './problem.ts';
import { type Privacy, valPositions, versionPositions } from './read-vals.ts';
import { recordPositions } from './records.ts';
import type { Schema } from './schemas.ts';
import { searchPositions } from './search.ts';
import type { ReportedRun } from './store.ts';
import { sortableTime } from './time.ts';
import { newValDefaults } from './write-vals.ts';

export type Body = Record<string, unknown>;
/** All values of a parameter. */
export type Query = (name: string) => string[];

/** A field of a body or a parameter of a query: how it is described, and how it is read or refused. */
interface Field<Given, Value> {
  schema: Schema;
  isRequired?: boolean;
  read(value: Given, name: string): Value;
}

type BodyField<Value> = Field<unknown, Value>;
/** Undefined if the parameter is not given. */
type Parameter<Value> = Field<string | undefined, Value>;
type ValueOf<AnyField> = AnyField extends Field<never, infer Value> ? Value : never;

/** Reads a body or a query, and has the fields that it reads, so that the description of the API cannot differ from it. */
export interface Check<Given, Value> {
  (given: Given): Value;
  fields: Record<string, Field<never, unknown>>;
}

const thenCheck = <Given, Value, Result>(
  check: Check<Given, Value>,
  next: (value: Value) => Result,
): Check<Given, Result> => Object.assign((given: Given) => next(check(given)), { fields: check.fields });

/** A field that is not required and not given is left out. */
const body = <
  Required extends Record<string, BodyField<unknown>>,
  Optional extends Record<string, BodyField<unknown>>,
>(
  required: Required,
  optional: Optional,
) => {
  const fields: Record<string, BodyField<unknown>> = {
    ...Object.fromEntries(
      Object.entries(required).map(([name, field]) => [name, { ...field, isRequired: true }]),
    ),
    ...optional,
  };
  type Values = { [Name in keyof Required]: ValueOf<Required[Name]> } & {
    [Name in keyof Optional]?: ValueOf<Optional[Name]>;
  };
  const check = (given: Body) =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name, { isRequired }]) => isRequired || given[name] !== undefined)
        .map(([name, { read }]) => [name, read(given[name], name)]),
    ) as Values;
  return Object.assign(check, { fields });
};

const query = <Parameters extends Record<string, Parameter<unknown>>>(fields: Parameters) => {
  const check = (given: Query) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, { read }]) => [name, read(once(given, name), name)]),
    ) as { [Name in keyof Parameters]: ValueOf<Parameters[Name]> };
  return Object.assign(check, { fields });
};

/** In bytes, as JSON. */
const longestError = 65_536;

/**
 * A character has up to three bytes in UTF-8. Control characters have six in JSON, so that a text of the right length
 * could still become a far larger answer.
 */
const string = (max: number, { min = 0, maxBytes = 3 * max } = {}): BodyField<string> => ({
  schema: { type: 'string', minLength: min, maxLength: max },
  read(value, name) {
    if (typeof value !== 'string') throw refuse(name, 'must be a string');
    if (value.length > max) throw refuse(name, `must have at most ${max} characters`, 413);
    const bytes = Buffer.byteLength(JSON.stringify(value)) - '""'.length;
    if (bytes > maxBytes) throw refuse(name, `must have at most ${maxBytes} bytes as JSON`, 413);
    if (/[\ud800-\udfff]/u.test(value)) throw refuse(name, 'must not contain an unpaired surrogate');
    if (value.length < min) throw refuse(name, 'must not be empty');
    return value;
  },
});

const matching = (pattern: RegExp, rule: string): BodyField<string> => ({
  schema: { type: 'string', pattern: pattern.source },
  read(value, name) {
    if (typeof value !== 'string') throw refuse(name, 'must be a string');
    if (!pattern.test(value)) throw refuse(name, rule);
    return value;
  },
});

const orNull = <Value>({ schema, read }: BodyField<Value>): BodyField<Value | null> => ({
  schema: { ...schema, type: [schema.type, 'null'] },
  read: (value, name) => (value === null ? null : read(value, name)),
});

const privacies: readonly Privacy[] = ['public', 'unlisted', 'private'];
const privacy: BodyField<Privacy> = {
  schema: { enum: privacies },
  read(value, name) {
    const known = privacies.find((word) => word === value);
    if (known === undefined) throw refuse(name, 'must be public, unlisted or private');
    return known;
  },
};

const timeRule = 'must be a timestamp such as 2024-05-17T12:00:00.000Z';
const timeSchema = { type: 'string', description: 'ISO 8601. A date alone is midnight in UTC.' };

const moment: BodyField<string> = {
  schema: timeSchema,
  read(value, name) {
    if (typeof value === 'string' && sortableTime(value) !== undefined) return value;
    throw refuse(name, timeRule);
  },
};

const versionNumber: BodyField<number> = {
  schema: { type: 'integer', minimum: 0 },
  read(value, name) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw refuse(name, 'must be an integer from 0');
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

/** `type` is given with code alone. */
export const changedFacts = body({}, { name, readme, privacy });

export const nameAndCode = body({ name, code }, { type });

export const reportedRun = thenCheck(
  body(
    { version: versionNumber, runStartAt: moment, runEndAt: moment },
    { error: orNull(string(longestError, { maxBytes: longestError })) },
  ),
  ({ error = null, ...run }): ReportedRun => {
    if (`${sortableTime(run.runEndAt)}` < `${sortableTime(run.runStartAt)}`) {
      throw refuse('runEndAt', 'must not be before runStartAt');
    }
    return { ...run, error };
  },
);

const integer = (fallback: number, min: number, max: number): Parameter<number> => ({
  schema: { type: 'integer', minimum: min, maximum: max, default: fallback },
  read(text, name) {
    if (text === undefined) return fallback;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw refuse(name, `must be an integer from ${min} to ${max}`);
  },
});

const optional = <Value>(
  schema: Schema,
  read: (text: string, name: string) => Value,
): Parameter<Value | undefined> => ({
  schema,
  read: (text, name) => (text === undefined ? undefined : read(text, name)),
});

const time = optional(timeSchema, (text, name) => {
  const value = sortableTime(text);
  if (value === undefined) throw refuse(name, timeRule);
  return value;
});

const choice = <Meaning>(meanings: Record<string, Meaning>) =>
  optional({ enum: Object.keys(meanings) }, (text, name) => {
    if (Object.hasOwn(meanings, text)) return meanings[text];
    throw refuse(name, `must be one of ${Object.keys(meanings).join(', ')}`);
  });

const paging = <Position extends readonly (string | number)[]>(positions: Positions<Position>) => ({
  limit: integer(20, 1, 100),
  offset: integer(0, 0, Number.MAX_SAFE_INTEGER),
  after: optional(
    { type: 'string', description: 'The end of the previous page, taken from the link to the next page.' },
    (text, name) => {
      const found = positions.read(text);
      if (!found) throw refuse(name, 'is not from a link of this service');
      return found;
    },
  ),
});

const period = { since: time, until: time };

/** `before`: how many records come before the page. */
function paged<Position, More>({
  after,
  ...given
}: More & { offset: number; after: { position: Position; before: number } | undefined }) {
  if (after && given.offset > 0) throw refuse('offset', 'must not be given together with after');
  return { ...given, after: after?.position, before: after?.before ?? given.offset };
}

export const vals = thenCheck(query(paging(valPositions)), paged);

export const versions = thenCheck(query(paging(versionPositions)), paged);

export const likes = thenCheck(query(paging(recordPositions)), paged);

export const references = thenCheck(query({ ...paging(recordPositions), ...period }), paged);

const longestSearch = 200;
const searched: Parameter<string> = {
  schema: { type: 'string', minLength: 1, maxLength: longestSearch },
  isRequired: true,
  read(text = '', name) {
    if (text === '') throw refuse(name, 'must be given');
    if (text.length > longestSearch) throw refuse(name, `must have at most ${longestSearch} characters`);
    return text;
  },
};

export const search = thenCheck(
  query({ query: searched, mine: choice({ true: true, false: false }), ...paging(searchPositions) }),
  ({ query: text, mine: isMine = false, ...given }) => ({ text, isMine, ...paged(given) }),
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
  /** The version to show the changes from. */
  from?: number;
  /** Of the list, from 1. */
  page: number;
}

/** What the page is asked to show; without a val, the list of them. */
export const shown: Check<Query, PageRequest> = query({
  val: optional({ type: 'string' }, (text) => text),
  version: optional({ type: 'integer', minimum: 0 }, version),
  from: optional({ type: 'integer', minimum: 0 }, version),
  page: integer(1, 1, 1_000_000_000),
});

export function version(text: string): number {
  if (!/^(0|[1-9]\d*)$/.test(text)) throw refuse('version', 'must be an integer from 0');
  return Number(text);
}

function refuse(field: string, rule: string, status: 400 | 413 = 400): Problem {
  return new Problem(status, `${field} ${rule}.`, { field });
}

function once(query: Query, field: string): string | undefined {
  const [value, ...others] = query(field);
  if (others.length > 0) throw refuse(field, 'must be given once');
  return value;
}
