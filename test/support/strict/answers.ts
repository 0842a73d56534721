import type { Switches } from './switches.ts';

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A refusal, with the status and the message of the answer. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

export const absent = (what: string): Refusal => new Refusal(404, `${what} not found`);

const bodyFields = ['name', 'code', 'readme', 'privacy'] as const;
type Field = (typeof bodyFields)[number];

const limits: Record<Field, RegExp> = {
  name: /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/,
  code: /^.{1,256000}$/su,
  readme: /^.{0,8192}$/su,
  privacy: /^(?:public|unlisted|private)$/,
};

/** Checks a body as a service with a schema does. */
export function fieldsOf(
  body: Record<string, unknown>,
  required: readonly Field[],
  optional: readonly Field[],
  { ignoresUnknown }: Switches,
): Partial<Record<Field, string>> {
  const known: readonly string[] = [...required, ...optional];
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined && !ignoresUnknown) throw new Refusal(400, `body must not have ${unknown}`);
  for (const field of required) {
    if (body[field] === undefined) throw new Refusal(400, `body must have ${field}`);
  }
  const given = bodyFields.filter((field) => known.includes(field) && body[field] !== undefined);
  return Object.fromEntries(
    given.map((field) => {
      const value = body[field];
      if (typeof value !== 'string') throw new Refusal(400, `${field} must be a string`);
      if (!limits[field].test(value)) throw new Refusal(400, `${field} is not valid`);
      return [field, value];
    }),
  );
}

const numberIn = (query: URLSearchParams, name: string, otherwise: number): number => {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(400, `${name} must be an integer`);
  return Number(text);
};

/** One page of a list, or all of it if the route has no pages. */
export function listAnswer(
  rows: readonly object[],
  url: URL,
  paging: 'always' | 'on demand',
  switches: Switches,
): Answer {
  const { lists = 'pages', largestPage, insists } = switches;
  if (paging === 'on demand' && insists) requirePaging(url.searchParams);
  const isPaged = paging === 'always' || insists;
  const asked = numberIn(url.searchParams, 'limit', isPaged ? 20 : rows.length);
  const offset = numberIn(url.searchParams, 'offset', 0);
  if (isPaged && (asked < 1 || (asked > 100 && largestPage === undefined))) {
    throw new Refusal(400, 'limit must be from 1 to 100');
  }
  const limit = Math.min(asked, largestPage ?? asked);
  const data = rows.slice(offset, offset + limit);
  if (lists === 'array') return { status: 200, body: data };
  const hasMore = offset + limit < rows.length;
  return {
    status: 200,
    body: { data, links: hasMore ? { next: nextOf(url, limit, offset + limit, switches) } : {} },
  };
}

export function requirePaging(query: URLSearchParams): void {
  for (const name of ['limit', 'offset']) {
    if (!query.has(name)) throw new Refusal(400, `${name} is required`);
  }
}

function nextOf(url: URL, limit: number, offset: number, { next = 'absolute' }: Switches): string {
  const link = new URL(url);
  link.search = '';
  if (next === 'without query') return link.href;
  for (const [name, value] of url.searchParams) link.searchParams.set(name, value);
  link.searchParams.set('limit', String(limit));
  link.searchParams.set('offset', String(offset));
  if (next === 'on another host') link.host = 'elsewhere.example';
  return link.href;
}

/** `since` is exclusive, `until` inclusive. */
export function inRange(time: string | undefined, query: URLSearchParams): boolean {
  const [since, until] = ['since', 'until'].map((name) => timeIn(query, name));
  const at = Date.parse(time ?? '');
  return (since === undefined || at > since) && (until === undefined || at <= until);
}

function timeIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\dT.*Z$/.test(text) || Number.isNaN(time))
    throw new Refusal(400, `${name} must be a time`);
  return time;
}
