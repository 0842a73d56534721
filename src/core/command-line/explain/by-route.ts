// What a status means for one route, and what to do about it. http-status.ts has the sentences for all other cases.

import type { Call } from '../../http/call.ts';
import { type Hint, type Hints, hintList } from '../../lib/hint.ts';
import { isObject, textOf } from '../../lib/json.ts';
import { validName } from '../../lib/val-limits.ts';
import { looksLikeId } from '../../routes.ts';
import type { Message } from './service.ts';

/** For 404, and for 410: what is gone does not exist. */
export function absent({ route, val, version }: Call, word: string): Partial<Message> {
  if (route === 'any') return { hint: 'Check the path of the request, and the ids in the path.' };
  if (val === undefined) {
    return {
      sentence: 'This service does not support this command, or the base URL is wrong.',
      hint: { text: 'To check the base URL', command: 'config' },
    };
  }
  if (version !== undefined) {
    return { sentence: `There is no version ${version} of the val ${word}.`, hint: listVersions(val) };
  }
  return {
    sentence: `There is no val ${looksLikeId(word) ? word : `named ${word}`}.`,
    hint: { text: 'To list your vals', command: 'ls' },
    subject: word,
    problem: { one: 'is not on the service', many: 'are not on the service' },
  };
}

/** For 409. */
export function conflict(call: Call): Partial<Message> {
  const name = nameIn(call);
  const nameIsTaken = (thing: string, hint?: Hint): Message => ({
    sentence: `There is a ${thing} named ${name} already.`,
    hint: ['Choose another name.', ...hintList(hint)],
  });
  switch (call.route) {
    case 'createToken':
      return nameIsTaken('token', { text: 'To end that token', command: 'token rm', input: { name } });
    case 'createVal':
      return nameIsTaken('val', { text: 'To update the val', command: 'push', input: { paths: true } });
    case 'changeVal':
      return name === '' ? {} : nameIsTaken('val');
    case 'putVal':
      return { hint: seeVal(name) };
    case 'deleteVersion': {
      const input = { vals: [call.val ?? ''] };
      return { hint: { text: 'To delete the val with all its versions', command: 'val rm', input } };
    }
    default:
      return {};
  }
}

/** For 400 and 422. */
export function invalid(call: Call): Partial<Message> {
  const name = nameIn(call);
  const valid = validName(name);
  const isName = valid === undefined || valid === name || call.route === 'createToken';
  return isName ? {} : { hint: `Use a valid name, such as ${valid}.` };
}

/** What to do if nobody knows whether the service made the change. */
export function ifUnknown({ route, val, version }: Call): Hints {
  switch (route) {
    case 'createToken':
      return [
        { text: 'To see whether the token was made', command: 'token ls' },
        'If it was made, nobody has seen it: remove it, and make another one.',
      ];
    case 'createVal':
      return 'You can safely run the command again: the service will not create a second val of that name.';
    case 'putVal':
      return 'You can safely push again: both pushes give the val the same code.';
  }
  if (val === undefined)
    return 'Before you send the change again, check whether the service made the change.';
  return version === undefined ? seeVal(val) : listVersions(val);
}

const nameIn = ({ body }: Call): string => (isObject(body) && textOf(body.name)) || '';

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
