// What the service takes, as JSON Schemas.

import { mostErrorBytes, namePattern } from '../../core/lib/vals.ts';
import {
  described,
  flag,
  oneOfSchema,
  orNull,
  record,
  refuse,
  type Schema,
  type TypeOf,
  textSchema,
  timeSchema,
} from '../json-schema.ts';
import { largestOffset, longestCode, longestReadme, longestSearch, mostOnPage } from '../limits.ts';
import { tokenAccesses } from '../store/access.ts';
import type { Positions } from '../store/positions.ts';
import type { ReportedRun } from '../store/runs.ts';
import { now } from '../store/timestamps.ts';
import type { WantedToken } from '../store/tokens.ts';
import { privacies, valTypes } from '../store/vals.ts';

const name: Schema<string> = {
  type: 'string',
  pattern: namePattern.source,
  'x-rule': 'must start with a letter and have 1 to 48 letters, digits or underscores',
};
const code: Schema<string> = { type: 'string', minLength: 1, maxLength: longestCode };
const readme = orNull<string>({ type: 'string', maxLength: longestReadme });
const privacy = oneOfSchema(privacies);
const type = oneOfSchema(valTypes);

export const codeAndProperties = record({ code }, { name, readme, privacy, type });
export const changedProperties = record({}, { name, readme, privacy, type });
export const nameAndCode = record({ name, code }, { type });

export const version: Schema<number> = { type: 'integer', minimum: 0 };
const error = orNull<string>({ type: 'string', maxLength: mostErrorBytes, 'x-max-bytes': mostErrorBytes });

export const reportedRun = record(
  { version, runStartAt: timeSchema, runEndAt: orNull(timeSchema) },
  { error, logs: orNull(textSchema) },
);

export function runFrom({ error = null, logs = null, ...run }: TypeOf<typeof reportedRun>): ReportedRun {
  if (run.runEndAt !== null && Date.parse(run.runEndAt) < Date.parse(run.runStartAt)) {
    throw refuse('runEndAt', 'must not be before runStartAt');
  }
  return { ...run, error, logs };
}

const tokenName: Schema<string> = {
  type: 'string',
  pattern: /^(?!first$)[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,63}$/.source,
  'x-rule':
    'must have up to 64 letters (a to z), digits, spaces or . _ -, begin with a letter or digit, and not be first, ' +
    "the name of everybody's first token",
};

export const newToken = record(
  { name: tokenName },
  { access: oneOfSchema(tokenAccesses), expiresAt: orNull(timeSchema) },
);

export function tokenFrom(given: TypeOf<typeof newToken>): WantedToken {
  const { name, access = 'full', expiresAt = null } = given;
  if (expiresAt !== null && expiresAt <= now()) throw refuse('expiresAt', 'must be in the future');
  return { name, access, expiresAt };
}

const after = described(
  textSchema,
  'The end of the previous page. Use links.next, which contains this parameter.',
);

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

export const pageInput = record({}, paging);
const period = { since: timeSchema, until: timeSchema };
export const runs = record({}, { ...paging, ...period, error: flag });
export const comments = record(
  {},
  { ...paging, ...period, relationship: oneOfSchema(['any', 'given', 'received']) },
);
export const references = record({}, { ...paging, ...period });
export const searchText: Schema<string> = { type: 'string', maxLength: longestSearch };
export const search = record({ query: { ...searchText, minLength: 1 } }, paging);

/** The part of a list that a checked query asks for. */
export function rangeOf<
  Given extends TypeOf<typeof pageInput>,
  Position extends readonly (string | number)[],
>(positions: Positions<Position>, { limit = 20, offset = 0, after, ...others }: Given) {
  return { ...others, limit, offset, after: positionIn(positions, after) };
}

export function parseVersion(text: string): number {
  if (!/^(0|[1-9]\d*)$/.test(text)) throw refuse('version', 'must be an integer of at least 0');
  return Number(text);
}
