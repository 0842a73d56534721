import type { Call, RouteName } from './http/call.ts';

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

export const looksLikeId = (word: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);

export const me = (): Call => get('me', '/v1/me');

export const mySpaces = (): Call => get('mySpaces', '/v1/me/spaces');

export const myTokens = (): Call => get('myTokens', '/v1/me/tokens');

export const createToken = (token: NewToken): Call =>
  send('createToken', 'POST', '/v1/me/tokens', { body: { ...token } });

export const deleteToken = (id: string): Call =>
  send('deleteToken', 'DELETE', `/v1/me/tokens/${segment(id)}`);

export const pageLink = (val: string | undefined): Call =>
  get('pageLink', '/v1/me/page-link', { query: queryOf({ val }) });

export const myRuns = ({ error, since, until }: RunFilter): Call =>
  list('myRuns', '/v1/me/runs', { error, since, until });

export const getRun = (id: string): Call => get('getRun', `/v1/runs/${segment(id)}`);

export const myLikes = (): Call => list('myLikes', '/v1/me/likes');

export const myComments = ({ relationship, since, until }: CommentFilter): Call =>
  list('myComments', '/v1/me/comments', { relationship, since, until });

/** A service that does not know `val` lists the references to all vals. */
export const myReferences = (val?: string): Call =>
  get('myReferences', '/v1/me/references', { paging: 'on demand', query: queryOf({ val }) });

export const createVal = (val: NewVal): Call => send('createVal', 'POST', '/v1/vals', { body: { ...val } });

export const putVal = (name: string, code: string, fields: { privacy?: string } = {}): Call =>
  send('putVal', 'PUT', '/v1/vals', { body: { name, code, ...fields } });

/** Another person's or space's val, by its name. */
export const valOfOwner = (owner: string, name: string): Call =>
  get('valOfOwner', `/v1/alias/${segment(owner)}/${segment(name)}`);

export const getVal = (id: string): Call => get('getVal', valPath(id), { val: id });

export const changeVal = (id: string, fields: ValFields): Call =>
  send('changeVal', 'PUT', valPath(id), { body: { ...fields }, val: id });

export const deleteVal = (id: string): Call => send('deleteVal', 'DELETE', valPath(id), { val: id });

export const listVersions = (id: string): Call =>
  get('listVersions', `${valPath(id)}/versions`, { paging: 'on demand', val: id });

export const createVersion = (id: string, code: string, fields: ValFields = {}): Call =>
  send('createVersion', 'POST', `${valPath(id)}/versions`, { body: { code, ...fields }, val: id });

export const getVersion = (id: string, version: number): Call =>
  get('getVersion', `${valPath(id)}/versions/${version}`, { paging: 'on demand', val: id, version });

export const deleteVersion = (id: string, version: number): Call =>
  send('deleteVersion', 'DELETE', `${valPath(id)}/versions/${version}`, { val: id, version });

/** Some services ignore the filter, so the caller applies it again. */
export const valRuns = (id: string, { error, since, until }: RunFilter = {}): Call => ({
  ...list('valRuns', `${valPath(id)}/runs`, { error, since, until }),
  val: id,
});

export const reportRun = (id: string, run: NewRun): Call =>
  send('reportRun', 'POST', `${valPath(id)}/runs`, { body: { ...run }, val: id });

export const userVals = (userId: string): Call => ({
  ...list('userVals', `/v1/users/${segment(userId)}/vals`),
  user: userId,
});

export const searchVals = (word: string): Call =>
  list('searchVals', '/v1/search/vals', { query: word, mine: true });

type More = Omit<Call, 'route' | 'method' | 'path'>;
type Query = Record<string, string | boolean | undefined>;

const send = (route: RouteName, method: string, path: string, more: More = {}): Call => ({
  route,
  method,
  path,
  ...more,
});

const get = (route: RouteName, path: string, more?: More): Call => send(route, 'GET', path, more);

const list = (route: RouteName, path: string, query: Query = {}): Call =>
  get(route, path, { paging: 'always', query: queryOf(query) });

function queryOf(values: Query): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined) query.set(key, String(value));
  return query;
}

const valPath = (id: string): string => `/v1/vals/${segment(id)}`;

/** An id that the service sent could be `..`, which would change the path, or half of a character. */
const segment = (id: string): string =>
  encodeURIComponent(id.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/^\.\.?$/, '%2E$&');
