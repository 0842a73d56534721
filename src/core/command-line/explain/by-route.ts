// What a status means for one route, and what to do about it. http-status.ts has the sentences for all other cases.

import type { Problem } from '../../errors.ts';
import type { Call, RouteName } from '../../http/call.ts';
import type { Hint, Hints } from '../../lib/hint.ts';
import { isObject, textOf } from '../../lib/json.ts';
import { validName } from '../../lib/val-limits.ts';
import { looksLikeId } from '../../routes.ts';

interface Message {
  sentence: string;
  hint: Hints;
}

export interface RouteMessages {
  /** For 404, and for 410: what is gone does not exist. */
  absent: Partial<Message>;
  /** For 409. */
  conflict?: Partial<Message>;
  /** For 400 and 422. */
  invalid?: Partial<Message> | undefined;
  /** What to do if nobody knows whether the service made the change. */
  ifUnknown: Hints;
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
  name: string;
}

export function routeMessages(call: Call, typedWords: ReadonlyMap<string, string>): RouteMessages {
  const { val: id = '', version, body } = call;
  const name = (isObject(body) && textOf(body.name)) || '';
  const about = { id, val: typedWords.get(id) ?? id, version, name };
  return { ...usualMessages(call, about), ...byRoute[call.route]?.(about) };
}

function usualMessages({ version, val }: Call, about: About): RouteMessages {
  if (version !== undefined) return noVersion(about);
  return val === undefined ? noRoute : noVal(about);
}

const byRoute: Partial<Record<RouteName, (about: About) => Partial<RouteMessages>>> = {
  any: () => ({ absent: { hint: 'Check the path of the request, and the ids in the path.' } }),
  createToken: ({ name }) => ({
    conflict: {
      sentence: `There is a token named ${name} already.`,
      hint: ['Choose another name.', { text: 'To end that token', command: 'token rm', input: { name } }],
    },
    ifUnknown: [
      { text: 'To see whether the token was made', command: 'token ls' },
      'If it was made, nobody has seen it: remove it, and make another one.',
    ],
  }),
  createVal: ({ name }) => ({
    conflict: {
      sentence: nameIsTaken(name),
      hint: ['Choose another name.', { text: 'To update the val', command: 'push', input: { paths: true } }],
    },
    invalid: validNameFor(name),
    ifUnknown: 'You can safely run the command again: the service will not create a second val of that name.',
  }),
  putVal: ({ name }) => ({
    conflict: { hint: seeVal(name) },
    invalid: validNameFor(name),
    ifUnknown: 'You can safely push again: both pushes give the val the same code.',
  }),
  changeVal: ({ name }) =>
    name === ''
      ? {}
      : {
          conflict: { sentence: nameIsTaken(name), hint: 'Choose another name.' },
          invalid: validNameFor(name),
        },
  deleteVersion: ({ id }) => ({
    conflict: {
      hint: { text: 'To delete the val with all its versions', command: 'val rm', input: { vals: [id] } },
    },
  }),
};

const noRoute: RouteMessages = {
  absent: {
    sentence: 'This service does not support this command, or the base URL is wrong.',
    hint: { text: 'To check the base URL', command: 'config' },
  },
  ifUnknown: 'Before you send the change again, check whether the service made the change.',
};

const noVal = (about: About): RouteMessages => ({
  absent: {
    sentence: `There is no val ${looksLikeId(about.val) ? about.val : `named ${about.val}`}.`,
    hint: { text: 'To list your vals', command: 'ls' },
  },
  ifUnknown: seeVal(about.id),
  subject: about.val,
  problem: { one: 'is not on the service', many: 'are not on the service' },
});

const noVersion = ({ id, val, version }: About): RouteMessages => ({
  absent: { sentence: `There is no version ${version} of the val ${val}.`, hint: listVersions(id) },
  ifUnknown: listVersions(id),
});

const nameIsTaken = (name: string): string => `There is a val named ${name} already.`;

function validNameFor(name: string): Partial<Message> | undefined {
  const valid = validName(name);
  return valid === undefined || valid === name ? undefined : { hint: `Use a valid name, such as ${valid}.` };
}

const listVersions = (val: string): Hint => ({
  text: 'To list the versions that exist',
  command: 'version ls',
  input: { val },
});

const seeVal = (val: string): Hint => ({
  text: 'To see the val as it is now',
  command: 'val get',
  input: { val },
});
