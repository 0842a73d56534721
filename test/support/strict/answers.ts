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
  optional: readonly Field[] = [],
): Partial<Record<Field, string>> {
  const known: readonly string[] = [...required, ...optional];
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Refusal(400, `body must not have ${unknown}`);
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

/** One page of a list. */
export function pageOf(rows: readonly object[], url: URL): Answer {
  const limit = numberIn(url.searchParams, 'limit', 20);
  const offset = numberIn(url.searchParams, 'offset', 0);
  if (limit < 1 || limit > 100) throw new Refusal(400, 'limit must be from 1 to 100');
  const next = new URL(url);
  next.searchParams.set('limit', String(limit));
  next.searchParams.set('offset', String(offset + limit));
  const links = offset + limit < rows.length ? { next: next.href } : {};
  return { status: 200, body: { data: rows.slice(offset, offset + limit), links } };
}
