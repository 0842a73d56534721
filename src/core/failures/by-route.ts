// What a status means for one route, and what to do about it. by-status.ts has the sentences for all other cases.

import type { Call } from '../http/call.ts';
import { type Hint, type Hints, hintList, sh } from '../lib/hint.ts';
import { isObject, textOf } from '../lib/json.ts';
import { validName } from '../lib/vals.ts';
import { looksLikeId } from '../routes.ts';
import type { Message } from './service.ts';

export function messageByRoute(call: Call, status: number): Partial<Message> {
  switch (status) {
    case 400:
    case 422:
      return invalid(call);
    case 404:
    case 410:
      return absent(call);
    case 405:
    case 501:
      return call.route === 'any' ? {} : notSupported;
    case 409:
      return conflict(call);
    case 412:
      return call.ifMatch ? { sentence: 'The val was changed on the service after it was read.' } : {};
    default:
      return {};
  }
}

const notSupported: Message = {
  sentence: 'This service does not support this command, or the base URL is wrong.',
  hint: sh`To check the base URL, run ${['config']}.`,
};

/** What is gone does not exist. */
function absent({ route, val, version }: Call): Partial<Message> {
  if (route === 'any') return { hint: 'Check the path of the request, and the ids in the path.' };
  if (val === undefined) return notSupported;
  const { word } = val;
  if (version !== undefined) {
    return { sentence: `There is no version ${version} of the val ${word}.`, hint: toListVersions(word) };
  }
  return {
    sentence: `There is no val ${looksLikeId(word) ? word : `named ${word}`}.`,
    hint: sh`To list your vals, run ${['ls']}.`,
    ofMany: 'There is no val with that name or id.',
  };
}

function conflict(call: Call): Partial<Message> {
  const name = nameIn(call);
  const nameIsTaken = (thing: string, hint?: Hint): Message => ({
    sentence: `There is a ${thing} named ${name} already.`,
    hint: ['Choose another name.', ...hintList(hint)],
  });
  switch (call.route) {
    case 'createToken':
      return nameIsTaken('token', sh`To end that token, run ${['token', 'rm', name]}.`);
    case 'createVal':
      return nameIsTaken('val');
    case 'changeVal':
      return name === '' ? {} : nameIsTaken('val');
    case 'putVal':
      return { hint: seeVal(name) };
    case 'deleteVersion':
      return {
        hint: sh`To delete the val with all its versions, run ${['val', 'rm', call.val?.word ?? '']}.`,
      };
    default:
      return {};
  }
}

/** Larger code may be more than a service takes. The API names no limit. */
const largeCode = 65_536;

function invalid(call: Call): Partial<Message> {
  const name = nameIn(call);
  const size = Buffer.byteLength(textIn(call, 'code'));
  if (size > largeCode)
    return { hint: `The code has ${Math.ceil(size / 1_024)} KiB, which may be more than the service takes.` };
  const valid = validName(name);
  const isName = valid === undefined || valid === name || call.route === 'createToken';
  return isName ? {} : { hint: `Use a valid name, such as ${valid}.` };
}

/** What to do if nobody knows whether the service made the change. */
export function ifUnknown(call: Call): Hints {
  const { route, val, version } = call;
  switch (route) {
    case 'createToken':
      return [
        sh`To see whether the token was made, run ${['token', 'ls']}.`,
        'If it was made, nobody has seen it: remove it, and make another one.',
      ];
    case 'createVal':
      return 'You can safely run the command again: if the val was made, its name is taken now.';
    case 'putVal':
      return 'You can safely push again: both pushes give the val the same code.';
  }
  if (val === undefined)
    return 'Before you send the change again, check whether the service made the change.';
  return version === undefined ? seeVal(val.word) : toListVersions(val.word);
}

const textIn = ({ body }: Call, key: string): string => (isObject(body) && textOf(body[key])) || '';

const nameIn = (call: Call): string => textIn(call, 'name');

const toListVersions = (val: string): Hint =>
  sh`To list the versions that exist, run ${['version', 'ls', val]}.`;

const seeVal = (val: string): Hint => sh`To see the val as it is now, run ${['val', 'get', val]}.`;
