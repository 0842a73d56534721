import type { Call, RouteName } from './http/call.ts';
import type { JsonObject } from './lib/json.ts';

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
  access?: string;
  expiresAt?: string;
}

export interface NewVal {
  name: string;
  code: string;
  readme?: string;
  privacy?: string;
}

export interface NewRun {
  version: number;
  runStartAt: string;
  runEndAt: string;
  error: string | null;
  logs: string;
}

export interface ValFields {
  name?: string;
  privacy?: string;
  readme?: string;
}

/** The id of a val, or a val as the user gave it: a failed request calls it by the user's word. */
export type ValRef = string | { id: string; word: string };

export const looksLikeId = (word: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);

// The 14 routes of the interface.

export const me = (): Call => get('me', '/v1/me');

export const myRuns = (filter: RunFilter): Call => list('myRuns', '/v1/me/runs', { ...filter });

export const myLikes = (): Call => list('myLikes', '/v1/me/likes');

export const myComments = (filter: CommentFilter): Call =>
  list('myComments', '/v1/me/comments', { ...filter });

export const myReferences = (): Call => get('myReferences', '/v1/me/references', { paging: 'on demand' });

export const createVal = (val: NewVal): Call => post('createVal', '/v1/vals', { ...val });

export const putVal = (name: string, code: string): Call => put('putVal', '/v1/vals', { name, code });

export const getVal = (val: ValRef): Call => get('getVal', pathOf(val), about(val));

export const deleteVal = (val: ValRef): Call => del('deleteVal', pathOf(val), about(val));

export const listVersions = (val: ValRef): Call =>
  get('listVersions', `${pathOf(val)}/versions`, { paging: 'on demand', ...about(val) });

export const createVersion = (val: ValRef, code: string): Call =>
  post('createVersion', `${pathOf(val)}/versions`, { code }, about(val));

export const getVersion = (val: ValRef, version: number): Call =>
  get('getVersion', `${pathOf(val)}/versions/${version}`, { paging: 'on demand', version, ...about(val) });

export const deleteVersion = (val: ValRef, version: number): Call =>
  del('deleteVersion', `${pathOf(val)}/versions/${version}`, { version, ...about(val) });

/** Some services ignore the filter, so the caller applies it again. */
export const valRuns = (val: ValRef, filter: RunFilter = {}): Call =>
  list('valRuns', `${pathOf(val)}/runs`, { ...filter }, about(val));

// What some services have besides.

export const userVals = (user: string): Call =>
  list('userVals', `/v1/users/${segment(user)}/vals`, {}, { user });

/** Another person's or space's val, by its name. */
export const valOfOwner = (owner: string, name: string): Call =>
  get('valOfOwner', `/v1/alias/${segment(owner)}/${segment(name)}`);

export const changeVal = (val: ValRef, fields: ValFields): Call =>
  put('changeVal', pathOf(val), { ...fields }, about(val));

export const reportRun = (val: ValRef, run: NewRun): Call =>
  post('reportRun', `${pathOf(val)}/runs`, { ...run }, about(val));

export const getRun = (id: string): Call => get('getRun', `/v1/runs/${segment(id)}`);

export const mySpaces = (): Call => get('mySpaces', '/v1/me/spaces');

export const myTokens = (): Call => get('myTokens', '/v1/me/tokens');

export const createToken = (token: NewToken): Call => post('createToken', '/v1/me/tokens', { ...token });

export const deleteToken = (id: string): Call => del('deleteToken', `/v1/me/tokens/${segment(id)}`);

export const pageLink = (val: string | undefined): Call =>
  get('pageLink', '/v1/me/page-link', { query: queryOf({ val }) });

type Query = Record<string, string | boolean | undefined>;
type More = Omit<Call, 'route' | 'method' | 'path' | 'body'>;
type Send = (route: RouteName, path: string, body: JsonObject, more?: More) => Call;

const get = (route: RouteName, path: string, more?: More): Call => ({ route, method: 'GET', path, ...more });

const del = (route: RouteName, path: string, more?: More): Call => ({
  route,
  method: 'DELETE',
  path,
  ...more,
});

const post: Send = (route, path, body, more) => ({ route, method: 'POST', path, body, ...more });

const put: Send = (route, path, body, more) => ({ route, method: 'PUT', path, body, ...more });

const list = (route: RouteName, path: string, query: Query = {}, more?: More): Call =>
  get(route, path, { paging: 'always', query: queryOf(query), ...more });

function queryOf(values: Query): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined) query.set(key, String(value));
  return query;
}

const named = (val: ValRef): { id: string; word: string } =>
  typeof val === 'string' ? { id: val, word: val } : { id: val.id, word: val.word };

const about = (val: ValRef): More => ({ val: named(val) });

const pathOf = (val: ValRef): string => `/v1/vals/${segment(named(val).id)}`;

/** An id that the service sent could be `..`, which would change the path, or half of a character. */
const segment = (id: string): string =>
  encodeURIComponent(id.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/^\.\.?$/, '%2E$&');
