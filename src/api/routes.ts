import { UsageError } from '../errors.ts';
import type { Hint } from '../lib/hint.ts';
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
    throw new UsageError(`"${id}" is not the id of a val.`, {
      hint: [
        'Give the id of a val.',
        { text: 'To see the ids of your vals', command: 'ls', input: { fields: 'id,name' } },
      ],
    });
  }
  return encodeURIComponent(id);
}

const noVal = (val: string): Record<number, string> => {
  const sentence = `There is no val ${looksLikeId(val) ? val : `named ${val}`}.`;
  return { 404: sentence, 410: sentence };
};

const noVersion = (val: string, version: string): Record<number, string> => {
  const sentence = `There is no version ${version} of the val ${val}.`;
  return { 404: sentence, 410: sentence };
};

const idHints = (id: string): Call['hints'] =>
  looksLikeId(id)
    ? {}
    : {
        404: [
          `"${id}" does not look like the id of a val.`,
          { text: 'To see the ids of your vals', command: 'ls' },
        ],
      };

const noRoute: Call['hints'] = {
  404: [
    { text: 'To check the base URL', command: 'config' },
    'If the base URL is right, this service does not support this command.',
  ],
};

export const seeVal = (val: string): Hint => ({
  text: 'To see the val as it is now',
  command: 'val get',
  input: { val },
});

const listing = (text: string, val: string): Hint => ({ text, command: 'version ls', input: { val } });

export const me = (): Call => ({
  method: 'GET',
  path: '/v1/me',
  remember: { kind: 'me' },
  hints: noRoute,
});

export const mySpaces = (): Call => ({ method: 'GET', path: '/v1/me/spaces', hints: noRoute });

export const myTokens = (): Call => ({ method: 'GET', path: '/v1/me/tokens' });

export const createToken = (token: NewToken): Call => ({
  method: 'POST',
  path: '/v1/me/tokens',
  body: { ...token },
});

export const deleteToken = (id: string): Call => ({ method: 'DELETE', path: `/v1/me/tokens/${segment(id)}` });

export const pageLink = (val: string | undefined): Call => ({
  method: 'GET',
  path: '/v1/me/page-link',
  query: queryOf({ val }),
});

export const myRuns = (filter: RunFilter): Call => ({
  method: 'GET',
  path: '/v1/me/runs',
  query: queryOf({ error: filter.error, since: filter.since, until: filter.until }),
  hints: {
    404: ['This service cannot list all runs.', { text: 'To list the runs of one val', command: 'val runs' }],
  },
});

export const getRun = (id: string): Call => ({ method: 'GET', path: `/v1/runs/${segment(id)}` });

export const myLikes = (): Call => ({
  method: 'GET',
  path: '/v1/me/likes',
  remember: { kind: 'vals' },
  hints: noRoute,
});

export const myComments = (filter: CommentFilter): Call => ({
  method: 'GET',
  path: '/v1/me/comments',
  query: queryOf({ relationship: filter.relationship, since: filter.since, until: filter.until }),
  hints: noRoute,
});

export const myReferences = (): Call => ({
  method: 'GET',
  path: '/v1/me/references',
  hints: noRoute,
});

export const createVal = (val: NewVal): Call => ({
  method: 'POST',
  path: '/v1/vals',
  remember: { kind: 'val', isMine: true },
  body: { ...val },
  meanings: () => ({ 409: `There is a val named ${val.name} already.` }),
  hints: {
    ...noRoute,
    409: ['Choose another name.', { text: 'To update the val', command: 'push', input: { paths: true } }],
  },
  ifUnknown: `You can safely run the command again. If the val ${val.name} was already created, the service will not create a second val.`,
});

export const putVal = (name: string, code: string, fields: { privacy?: string } = {}): Call => ({
  method: 'PUT',
  path: '/v1/vals',
  remember: { kind: 'val', isMine: true },
  body: { name, code, ...fields },
  hints: { ...noRoute, 409: seeVal(name) },
  ifUnknown: 'You can safely push again: both pushes give the val the same code.',
});

export const getVal = (id: string): Call => ({
  method: 'GET',
  path: valPath(id),
  val: id,
  remember: { kind: 'val', isMine: false },
  meanings: (wordFor) => noVal(wordFor(id)),
  hints: idHints(id),
});

export const deleteVal = (id: string): Call => ({
  method: 'DELETE',
  path: valPath(id),
  val: id,
  remember: { kind: 'deletion' },
  meanings: (wordFor) => noVal(wordFor(id)),
  hints: idHints(id),
  ifUnknown: { text: 'To see whether the val still exists', command: 'val get', input: { val: id } },
});

export const listVersions = (id: string): Call => ({
  method: 'GET',
  path: `${valPath(id)}/versions`,
  val: id,
  meanings: (wordFor) => noVal(wordFor(id)),
  hints: idHints(id),
});

export const userVals = (userId: string): Call => ({
  method: 'GET',
  path: `/v1/users/${segment(userId)}/vals`,
  remember: { kind: 'vals', owner: userId },
});

export const searchVals = (word: string): Call => ({
  method: 'GET',
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
  method: 'POST',
  path: `${valPath(id)}/runs`,
  body: { ...run },
});

export interface ValFields {
  name?: string;
  privacy?: string;
  readme?: string;
}

export const changeVal = (id: string, fields: ValFields): Call => ({
  method: 'PUT',
  path: valPath(id),
  body: { ...fields },
  meanings: (wordFor) => ({
    ...noVal(wordFor(id)),
    ...ifRenamed(fields, `There is a val named ${fields.name} already.`),
  }),
  hints: { ...idHints(id), ...ifRenamed(fields, 'Choose another name.') },
  ifUnknown: [seeVal(id), 'You can safely run the command again.'],
});

const ifRenamed = ({ name }: ValFields, text: string): Record<number, string> =>
  name === undefined ? {} : { 409: text };

export const createVersion = (id: string, code: string, fields: ValFields = {}): Call => ({
  method: 'POST',
  path: `${valPath(id)}/versions`,
  val: id,
  remember: { kind: 'val', isMine: false },
  body: { code, ...fields },
  meanings: (wordFor) => noVal(wordFor(id)),
  hints: idHints(id),
  ifUnknown: listing('To see whether the version was created', id),
});

export const getVersion = (id: string, version: string): Call => ({
  method: 'GET',
  mayRequirePaging: true,
  path: `${valPath(id)}/versions/${version}`,
  meanings: (wordFor) => noVersion(wordFor(id), version),
  hints: { 404: listing('To list the versions that exist', id) },
});

export const deleteVersion = (id: string, version: string): Call => ({
  method: 'DELETE',
  path: `${valPath(id)}/versions/${version}`,
  meanings: (wordFor) => ({
    ...noVersion(wordFor(id), version),
    409: `The service refuses to delete version ${version} of the val ${wordFor(id)}.`,
  }),
  hints: {
    404: listing('To list the versions that exist', id),
    409: { text: 'To delete the val with all its versions', command: 'val rm', input: { vals: [id] } },
  },
  ifUnknown: listing('To see whether the version still exists', id),
});

export const valRuns = (id: string): Call => ({
  method: 'GET',
  path: `${valPath(id)}/runs`,
  val: id,
  meanings: (wordFor) => noVal(wordFor(id)),
  hints: {
    404: [
      { text: 'To see whether the val exists', command: 'val get', input: { val: id } },
      'If the val exists, this service cannot list runs.',
    ],
    ...idHints(id),
  },
});
