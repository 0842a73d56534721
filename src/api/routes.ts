import { UsageError } from '../errors.ts';
import { hasLoneSurrogate } from '../lib/visible.ts';
import type { Call } from './call.ts';

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

export interface NewToken {
  name: string;
  readOnly?: boolean;
  expiresAt?: string;
}

export interface NewVal {
  name: string;
  code: string;
  readme?: string;
  privacy?: string;
}

function queryOf(values: Record<string, string | boolean | undefined>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined) query.set(key, String(value));
  return query;
}

export const looksLikeId = (word: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);

const valPath = (id: string) => `/v1/vals/${segment(id)}`;

/** An id such as `..` would change the path of the URL. */
function segment(id: string): string {
  if (id === '' || id === '.' || id === '..' || hasLoneSurrogate(id)) {
    throw new UsageError(`"${id}" is not an id.`, { hint: 'Give a name, or an id as a list shows it.' });
  }
  return encodeURIComponent(id);
}

export const me = (): Call => ({ route: 'me', method: 'GET', path: '/v1/me' });

export const mySpaces = (): Call => ({ route: 'mySpaces', method: 'GET', path: '/v1/me/spaces' });

export const myTokens = (): Call => ({ route: 'myTokens', method: 'GET', path: '/v1/me/tokens' });

export const createToken = (token: NewToken): Call => ({
  route: 'createToken',
  method: 'POST',
  path: '/v1/me/tokens',
  body: { ...token },
});

export const deleteToken = (id: string): Call => ({
  route: 'deleteToken',
  method: 'DELETE',
  path: `/v1/me/tokens/${segment(id)}`,
});

export const pageLink = (val: string | undefined): Call => ({
  route: 'pageLink',
  method: 'GET',
  path: '/v1/me/page-link',
  query: queryOf({ val }),
});

export const myRuns = (filter: RunFilter): Call => ({
  route: 'myRuns',
  method: 'GET',
  paging: 'always',
  path: '/v1/me/runs',
  query: queryOf({ error: filter.error, since: filter.since, until: filter.until }),
});

export const getRun = (id: string): Call => ({
  route: 'getRun',
  method: 'GET',
  path: `/v1/runs/${segment(id)}`,
});

export const myLikes = (): Call => ({
  route: 'myLikes',
  method: 'GET',
  paging: 'always',
  path: '/v1/me/likes',
});

export const myComments = (filter: CommentFilter): Call => ({
  route: 'myComments',
  method: 'GET',
  paging: 'always',
  path: '/v1/me/comments',
  query: queryOf({ relationship: filter.relationship, since: filter.since, until: filter.until }),
});

/** A service that does not know `val` lists the references to all vals. */
export const myReferences = (val?: string): Call => ({
  route: 'myReferences',
  method: 'GET',
  paging: 'on demand',
  path: '/v1/me/references',
  query: queryOf({ val }),
});

export const createVal = (val: NewVal): Call => ({
  route: 'createVal',
  method: 'POST',
  path: '/v1/vals',
  body: { ...val },
});

export const putVal = (name: string, code: string, fields: { privacy?: string } = {}): Call => ({
  route: 'putVal',
  method: 'PUT',
  path: '/v1/vals',
  body: { name, code, ...fields },
});

/** Another person's or space's val, by its name. */
export const valOfOwner = (owner: string, name: string): Call => ({
  route: 'valOfOwner',
  method: 'GET',
  path: `/v1/alias/${segment(owner)}/${segment(name)}`,
});

export const getVal = (id: string): Call => ({
  route: 'getVal',
  method: 'GET',
  path: valPath(id),
  val: id,
});

export const deleteVal = (id: string): Call => ({
  route: 'deleteVal',
  method: 'DELETE',
  path: valPath(id),
  val: id,
});

export const listVersions = (id: string): Call => ({
  route: 'listVersions',
  method: 'GET',
  paging: 'on demand',
  path: `${valPath(id)}/versions`,
  val: id,
});

export const userVals = (userId: string): Call => ({
  route: 'userVals',
  method: 'GET',
  paging: 'always',
  path: `/v1/users/${segment(userId)}/vals`,
  user: userId,
});

export const searchVals = (word: string): Call => ({
  route: 'searchVals',
  method: 'GET',
  paging: 'always',
  path: '/v1/search/vals',
  query: queryOf({ query: word, mine: true }),
});

export interface NewRun {
  version: number;
  runStartAt: string;
  runEndAt: string;
  error: string | null;
  logs: string;
}

export const reportRun = (id: string, run: NewRun): Call => ({
  route: 'reportRun',
  method: 'POST',
  path: `${valPath(id)}/runs`,
  body: { ...run },
  val: id,
});

export interface ValFields {
  name?: string;
  privacy?: string;
  readme?: string;
}

export const changeVal = (id: string, fields: ValFields): Call => ({
  route: 'changeVal',
  method: 'PUT',
  path: valPath(id),
  body: { ...fields },
  val: id,
});

export const createVersion = (id: string, code: string, fields: ValFields = {}): Call => ({
  route: 'createVersion',
  method: 'POST',
  path: `${valPath(id)}/versions`,
  body: { code, ...fields },
  val: id,
});

export const getVersion = (id: string, version: number): Call => ({
  route: 'getVersion',
  method: 'GET',
  paging: 'on demand',
  path: `${valPath(id)}/versions/${version}`,
  val: id,
  version,
});

export const deleteVersion = (id: string, version: number): Call => ({
  route: 'deleteVersion',
  method: 'DELETE',
  path: `${valPath(id)}/versions/${version}`,
  val: id,
  version,
});

/** Some services ignore the filter, so the caller applies it again. */
export const valRuns = (id: string, filter: RunFilter = {}): Call => ({
  route: 'valRuns',
  method: 'GET',
  paging: 'always',
  path: `${valPath(id)}/runs`,
  query: queryOf({ ...filter }),
  val: id,
});
