// The service's fourteen routes, one function each: what is sent, not how.
import { UsageError } from '../errors.ts';
import type { Call } from './call.ts';
import { looksLikeId } from './id.ts';

export interface RunFilter {
  error?: boolean;
  since?: string;
  until?: string;
}

export interface CommentFilter {
  relationship: string;
  since?: string;
  until?: string;
}

export interface NewVal {
  name: string;
  code: string;
  readme?: string;
  privacy?: string;
}

/** Keys without a value are not sent. */
function queryOf(values: Record<string, string | boolean | undefined>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined) query.set(key, String(value));
  return query;
}

const valPath = (id: string) => `/v1/vals/${segment(id)}`;

/** An id as one segment of a path; a URL would take dots for a step upwards. */
function segment(id: string): string {
  if (id === '' || id === '.' || id === '..') {
    throw new UsageError(`"${id}" is not the id of a val.`, {
      hint: 'Give the id that push and create print; it looks like a UUID.',
    });
  }
  return encodeURIComponent(id);
}

/** Who gives a name learns that an id is asked for. */
const idHints = (id: string): Call['hints'] =>
  looksLikeId(id)
    ? {}
    : { 404: `A val is named by its id, which push and create print, and "${id}" does not look like one.` };

/** Some services have it: 404 or 405 says that this one does not. */
export const userVals = (userId: string): Call => ({
  method: 'GET',
  path: `/v1/users/${encodeURIComponent(userId)}/vals`,
});

export const me = (): Call => ({ method: 'GET', path: '/v1/me' });

export const myRuns = (filter: RunFilter): Call => ({
  method: 'GET',
  path: '/v1/me/runs',
  query: queryOf({ error: filter.error, since: filter.since, until: filter.until }),
});

export const myLikes = (): Call => ({ method: 'GET', path: '/v1/me/likes' });

export const myComments = (filter: CommentFilter): Call => ({
  method: 'GET',
  path: '/v1/me/comments',
  query: queryOf({ relationship: filter.relationship, since: filter.since, until: filter.until }),
});

export const myReferences = (): Call => ({ method: 'GET', path: '/v1/me/references' });

export const createVal = (val: NewVal): Call => ({
  method: 'POST',
  path: '/v1/vals',
  body: { ...val },
  hints: { 409: 'Choose another name; `vals push` updates a val that exists.' },
  ifUnknown: `Creating it again tells: a val named ${val.name} that exists is refused.`,
});

export const putVal = (name: string, code: string): Call => ({
  method: 'PUT',
  path: '/v1/vals',
  body: { name, code },
  ifUnknown: 'Pushing it again is safe: the val ends with this code either way.',
});

export const getVal = (id: string): Call => ({
  method: 'GET',
  path: valPath(id),
  hints: idHints(id),
});

export const deleteVal = (id: string): Call => ({
  method: 'DELETE',
  path: valPath(id),
  hints: idHints(id),
  ifUnknown: `\`vals val get ${id}\` tells whether it is still there.`,
});

export const listVersions = (id: string): Call => ({
  method: 'GET',
  path: `${valPath(id)}/versions`,
  hints: idHints(id),
});

export const createVersion = (id: string, code: string): Call => ({
  method: 'POST',
  path: `${valPath(id)}/versions`,
  body: { code },
  ifUnknown: `\`vals version ls ${id}\` tells whether the version is there.`,
});

export const getVersion = (id: string, version: string): Call => ({
  method: 'GET',
  path: `${valPath(id)}/versions/${version}`,
});

export const deleteVersion = (id: string, version: string): Call => ({
  method: 'DELETE',
  path: `${valPath(id)}/versions/${version}`,
  ifUnknown: `\`vals version ls ${id}\` tells whether it is still there.`,
});

export const valRuns = (id: string): Call => ({
  method: 'GET',
  path: `${valPath(id)}/runs`,
  hints: idHints(id),
});
