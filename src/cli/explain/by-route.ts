// What a status means for one route, and what to do about it. http-status.ts has the sentences for all other cases.
import type { Call, RouteName } from '../../api/call.ts';
import { looksLikeId, seeVal } from '../../api/routes.ts';
import type { Problem } from '../../errors.ts';
import type { Hint, Hints } from '../../lib/hint.ts';
import { isObject, textOf } from '../../lib/json.ts';

export interface RouteMessages {
  /** Whole sentences by status. */
  sentences?: Record<number, string>;
  /** Beginnings of sentences by status. What the service says follows. */
  beginnings?: Record<number, string>;
  hints?: Partial<Record<number, Hints>>;
  /** What to do if nobody knows whether the service made the change. */
  ifUnknown?: Hints;
  /** What a 404 is about. Together they make the summary of many errors. */
  subject?: string;
  problem?: Problem;
}

interface About {
  /** The id of the val in the path. */
  id: string;
  /** What the user typed for that val, or its id. */
  val: string;
  version: number | undefined;
  /** The name in the body of the request. */
  name: string | undefined;
  /** The request may have a body, and has none. */
  lacksBody: boolean;
}

export function routeMessages(call: Call, wordFor: (id: string) => string | undefined): RouteMessages {
  const { val: id = '', version, body } = call;
  const name = isObject(body) ? textOf(body.name) : undefined;
  const lacksBody = body === undefined && ['POST', 'PUT', 'PATCH'].includes(call.method);
  return byRoute[call.route]({ id, val: wordFor(id) ?? id, version, name, lacksBody });
}

const checkPath = 'Check the path of the request, and the ids in the path.';
const missingBody = 'The request had no body. To send one, add fields with -f, or --input -.';

const byRoute: Record<RouteName, (about: About) => RouteMessages> = {
  any: ({ lacksBody }) => ({ hints: lacksBody ? { 400: missingBody, 404: checkPath } : { 404: checkPath } }),
  me: () => noRoute,
  mySpaces: () => noRoute,
  myLikes: () => noRoute,
  myComments: () => noRoute,
  myReferences: () => noRoute,
  myRuns: () => ({
    sentences: { 404: 'This service does not list runs, or the base URL is wrong.' },
    hints: {
      404: [
        { text: 'To check the base URL', command: 'config' },
        { text: 'To see whether the service lists the runs of a single val', command: 'val runs' },
      ],
    },
  }),
  valRuns: ({ id, val }) => ({
    ...noVal(val),
    hints: {
      404: [
        { text: 'To see whether the val exists', command: 'val get', input: { val: id } },
        'If the val exists, this service cannot list runs.',
      ],
      ...idHints(id),
    },
  }),
  getRun: () => ({}),
  reportRun: () => ({}),
  pageLink: () => ({}),
  myTokens: () => ({}),
  createToken: ({ name = '' }) => ({
    beginnings: { 409: `The token ${name} was not made` },
    hints: {
      409: ['Choose another name.', { text: 'To end that token', command: 'token rm', input: { name } }],
    },
    ifUnknown: [
      { text: 'To see whether the token was made', command: 'token ls' },
      'If it was made, nobody has seen it: remove it, and make another one.',
    ],
  }),
  deleteToken: () => ({}),
  searchVals: () => ({}),
  userVals: () => ({}),

  getVal: ({ id, val }) => ({ ...noVal(val), hints: idHints(id) }),
  deleteVal: ({ id, val }) => ({
    ...noVal(val),
    hints: idHints(id),
    ifUnknown: { text: 'To see whether the val still exists', command: 'val get', input: { val: id } },
  }),
  createVal: ({ name }) => ({
    sentences: { 409: `There is a val named ${name} already.` },
    hints: {
      ...noRoute.hints,
      409: ['Choose another name.', { text: 'To update the val', command: 'push', input: { paths: true } }],
    },
    ifUnknown: `You can safely run the command again. If the val ${name} was already created, the service will not create a second val.`,
  }),
  putVal: ({ name = '' }) => ({
    hints: { ...noRoute.hints, 409: seeVal(name) },
    ifUnknown: 'You can safely push again: both pushes give the val the same code.',
  }),
  changeVal: ({ id, val, name }) => {
    const messages = noVal(val);
    const isTaken: Record<number, string> =
      name === undefined ? {} : { 409: `There is a val named ${name} already.` };
    const chooseOther: Record<number, string> = name === undefined ? {} : { 409: 'Choose another name.' };
    return {
      ...messages,
      sentences: { ...messages.sentences, ...isTaken },
      hints: { ...idHints(id), ...chooseOther },
      ifUnknown: [seeVal(id), 'You can safely run the command again.'],
    };
  },

  listVersions: ({ id, val }) => ({ ...noVal(val), hints: idHints(id) }),
  createVersion: ({ id, val }) => ({
    ...noVal(val),
    hints: idHints(id),
    ifUnknown: listing('To see whether the version was created', id),
  }),
  getVersion: ({ id, val, version }) => ({
    sentences: noVersion(val, version),
    hints: { 404: listing('To list the versions that exist', id) },
  }),
  deleteVersion: ({ id, val, version }) => ({
    sentences: noVersion(val, version),
    beginnings: { 409: `The service refuses to delete version ${version} of the val ${val}` },
    hints: {
      404: listing('To list the versions that exist', id),
      409: { text: 'To delete the val with all its versions', command: 'val rm', input: { vals: [id] } },
    },
    ifUnknown: listing('To see whether the version still exists', id),
  }),
};

const noRoute: RouteMessages & { hints: Record<number, Hints> } = {
  hints: {
    404: [
      { text: 'To check the base URL', command: 'config' },
      'If the base URL is right, this service does not support this command.',
    ],
  },
};

function noVal(val: string): RouteMessages {
  const sentence = `There is no val ${looksLikeId(val) ? val : `named ${val}`}.`;
  return {
    sentences: { 404: sentence, 410: sentence },
    subject: val,
    problem: { one: 'is not on the service', many: 'are not on the service' },
  };
}

function noVersion(val: string, version: number | undefined): Record<number, string> {
  const sentence = `There is no version ${version} of the val ${val}.`;
  return { 404: sentence, 410: sentence };
}

const idHints = (id: string): Record<number, Hints> =>
  looksLikeId(id)
    ? {}
    : {
        404: [
          `"${id}" does not look like the id of a val.`,
          { text: 'To see the ids of your vals', command: 'ls' },
        ],
      };

const listing = (text: string, val: string): Hint => ({ text, command: 'version ls', input: { val } });
