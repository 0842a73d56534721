// What a request may ask for: each check takes a body or a query and gives back what the store needs, or refuses.
import { longestCode, longestReadme, namePattern } from '../lib/val-limits.ts';
import type { Positions } from './positions.ts';
import { Problem } from './problem.ts';
import { valPositions, versionPositions } from './read-vals.ts';
import { recordPositions } from './records.ts';
import { searchPositions } from './search.ts';
import { newValFacts, type Privacy, type ReportedRun, type ValChange, type ValContent } from './store.ts';
import { sortableTime } from './time.ts';

export type Body = Record<string, unknown>;
/** All values of a parameter. */
export type Query = (name: string) => string[];

export const newVal = (body: Body): Omit<ValContent, 'name'> & { name: string | undefined } => ({
  code: code(body),
  ...newValFacts,
  ...facts(body),
  name: body.name === undefined ? undefined : name(body),
});

export const newVersion = (body: Body): ValChange => ({ code: code(body), ...facts(body) });

/** `type` is given with code alone. */
export const changedFacts = ({ type: _, ...body }: Body): Partial<ValContent> => facts(body);

/** What is said of a val beside its code. */
const facts = (body: Body): Partial<ValContent> => ({
  ...(body.name !== undefined && { name: name(body) }),
  ...(body.readme !== undefined && {
    readme: body.readme === null ? null : string(body, 'readme', longestReadme),
  }),
  ...(body.privacy !== undefined && { privacy: privacy(body) }),
  ...(body.type !== undefined && { type: type(body) }),
});

export const nameAndCode = (body: Body): ValChange & { name: string } => ({
  name: name(body),
  code: code(body),
  ...(body.type !== undefined && { type: type(body) }),
});

/** In bytes, as JSON. */
const longestError = 65_536;

export const reportedRun = (body: Body): ReportedRun => {
  if (!Number.isSafeInteger(body.version) || (body.version as number) < 0) {
    throw refuse('version', 'must be an integer from 0');
  }
  const { runStartAt, runEndAt } = {
    runStartAt: moment(body, 'runStartAt'),
    runEndAt: moment(body, 'runEndAt'),
  };
  if (`${sortableTime(runEndAt)}` < `${sortableTime(runStartAt)}`) {
    throw refuse('runEndAt', 'must not be before runStartAt');
  }
  const error =
    body.error === undefined || body.error === null
      ? null
      : string(body, 'error', longestError, longestError);
  return { version: body.version as number, runStartAt, runEndAt, error };
};

const page = <Position extends readonly (string | number)[]>(
  query: Query,
  positions: Positions<Position>,
) => {
  const text = once(query, 'after');
  const after = text === undefined ? undefined : positions.read(text);
  if (text !== undefined && !after) throw refuse('after', 'is not from a link of this service');
  const offset = integer(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  if (after && offset > 0) throw refuse('offset', 'must not be given together with after');
  const limit = integer(query, 'limit', 20, 1, 100);
  return { limit, offset, after: after?.position, before: after?.before ?? offset };
};

const period = (query: Query) => ({ since: time(query, 'since'), until: time(query, 'until') });

export const vals = (query: Query) => page(query, valPositions);

export const versions = (query: Query) => page(query, versionPositions);

export const likes = (query: Query) => page(query, recordPositions);

export const references = (query: Query) => ({ ...page(query, recordPositions), ...period(query) });

const longestSearch = 200;

export const search = (query: Query) => {
  const text = once(query, 'query') ?? '';
  if (text === '') throw refuse('query', 'must be given');
  if (text.length > longestSearch) throw refuse('query', `must have at most ${longestSearch} characters`);
  const isMine = choice(query, 'mine', { true: true, false: false }) ?? false;
  return { text, isMine, ...page(query, searchPositions) };
};

export const runs = (query: Query) => ({
  ...page(query, recordPositions),
  ...period(query),
  tag: choice(query, 'error', { true: 'failed', false: 'passed' }),
});

export const comments = (query: Query) => ({
  ...page(query, recordPositions),
  ...period(query),
  tag: choice(query, 'relationship', { any: undefined, given: 'given', received: 'received' }),
});

export interface PageRequest {
  val?: string;
  version?: number;
  /** The version to show the changes from. */
  from?: number;
  /** Of the list, from 1. */
  page: number;
}

/** What the page is asked to show; without a val, the list of them. */
export const shown = (query: Query): PageRequest => {
  const optional = (name: string) => {
    const text = once(query, name);
    return text === undefined ? undefined : version(text);
  };
  return {
    val: once(query, 'val'),
    version: optional('version'),
    from: optional('from'),
    page: integer(query, 'page', 1, 1, 1_000_000_000),
  };
};

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

/**
 * A character has up to three bytes in UTF-8. Control characters have six in JSON, so that a text of the right length
 * could still become a far larger answer.
 */
function string(body: Body, field: string, max: number, maxBytes = 3 * max): string {
  const value = body[field];
  if (typeof value !== 'string') throw refuse(field, 'must be a string');
  if (value.length > max) throw refuse(field, `must have at most ${max} characters`, 413);
  const bytes = Buffer.byteLength(JSON.stringify(value)) - '""'.length;
  if (bytes > maxBytes) throw refuse(field, `must have at most ${maxBytes} bytes as JSON`, 413);
  if (/[\ud800-\udfff]/u.test(value)) throw refuse(field, 'must not have half of a surrogate pair');
  return value;
}

function name(body: Body): string {
  const value = body.name;
  if (typeof value !== 'string') throw refuse('name', 'must be a string');
  if (!namePattern.test(value)) {
    throw refuse('name', 'must start with a letter and have 1 to 48 letters, digits or underscores');
  }
  return value;
}

function code(body: Body): string {
  const value = string(body, 'code', longestCode);
  if (value === '') throw refuse('code', 'must not be empty');
  return value;
}

function moment(body: Body, field: string): string {
  const value = body[field];
  if (typeof value === 'string' && sortableTime(value) !== undefined) return value;
  throw refuse(field, 'must be a timestamp such as 2024-05-17T12:00:00.000Z');
}

function privacy(body: Body): Privacy {
  const value = body.privacy;
  if (value === 'public' || value === 'unlisted' || value === 'private') return value;
  throw refuse('privacy', 'must be public, unlisted or private');
}

function type(body: Body): string {
  const value = body.type;
  if (typeof value === 'string' && /^[a-z][a-z0-9_-]{0,31}$/.test(value)) return value;
  throw refuse(
    'type',
    'must be a word such as script, http or email, of at most 32 small letters, digits, - or _',
  );
}

function integer(query: Query, field: string, fallback: number, min: number, max: number): number {
  const text = once(query, field);
  if (text === undefined) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw refuse(field, `must be an integer from ${min} to ${max}`);
}

function time(query: Query, field: string): string | undefined {
  const text = once(query, field);
  if (text === undefined) return undefined;
  const value = sortableTime(text);
  if (value === undefined) throw refuse(field, 'must be a timestamp such as 2024-05-17T12:00:00.000Z');
  return value;
}

function choice<Meaning>(query: Query, field: string, meanings: Record<string, Meaning>) {
  const text = once(query, field);
  if (text === undefined) return undefined;
  if (!Object.hasOwn(meanings, text)) {
    throw refuse(field, `must be one of ${Object.keys(meanings).join(', ')}`);
  }
  return meanings[text];
}
