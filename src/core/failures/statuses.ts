// What each status of HTTP means to the user: one table, of a sentence and a hint. A cell of `own` is about one route.

import type { Call } from '../http/call.ts';
import { concernsCaller, serviceMessageOf } from '../http/error-body.ts';
import type { Fault } from '../http/request/faults.ts';
import { type Hint, type Hints, hintList, sh, withFullStop } from '../lib/hint.ts';
import { isObject, textOf } from '../lib/json.ts';
import { validName } from '../lib/vals.ts';
import { looksLikeId } from '../routes.ts';
import type { BaseUrl, ProxyServer } from '../settings/addresses.ts';

/** What the sentences need to know about the service and the user. */
export interface Service {
  base: BaseUrl;
  proxy: ProxyServer | undefined;
  signal: AbortSignal;
  hasToken: boolean;
  /** Built only if it is shown, because it reads settings that may be wrong. */
  signInHint(): Hints;
  redact(text: string): string;
}

export interface Message {
  sentence: string;
  hint: Hints;
  /** The sentence without the name of the val. */
  ofMany?: string;
}

type Status = Extract<Fault, { kind: 'status' }>;

interface About {
  call: Call;
  fault: Status;
  service: Service;
  /** What the service says. Empty if it says nothing. */
  reason: string;
}

interface Row {
  /** The beginning of a sentence, which what the service says follows. */
  beginning: string;
  hint(about: About): Hints;
  /** For some routes: a whole sentence instead, or another hint. */
  own?(call: Call): Partial<Message>;
}

const runLater = () => 'Run the command again later.';
const readFirst = () =>
  'Read the current state from the service. If you still want the change, run the command again.';
function changeInput({ reason, service }: About): Hints {
  if (reason === '') return 'Run the command again with --debug to see the request and the reply.';
  const https = /\b(?:HTTPS|SSL)\b/.test(reason) && useHttps(service.base.origin);
  return https || 'Change the input as the message of the service says.';
}

/** Undefined if the address begins with https:// already. */
export const useHttps = (origin: string): string | undefined =>
  origin.startsWith('http:')
    ? `If the service needs https, use ${origin.replace('http:', 'https:')}.`
    : undefined;

const refused: Row = { beginning: 'The service refused the request', hint: changeInput };
const invalid: Row = { ...refused, own: invalidInput };
const absent: Row = { beginning: 'The service does not have it', hint: changeInput, own: absentThing };
const otherState: Row = {
  beginning: 'The request conflicts with the current state on the service',
  hint: readFirst,
};
const notDone: Row = { beginning: 'The service could not complete the request', hint: runLater };
const notSupported: Row = {
  ...notDone,
  hint: changeInput,
  own: ({ route }) => (route === 'any' ? {} : noRoute),
};

/** Any other status is `notDone` from 500 on, and `refused` below. */
const table: Record<number, Row> = {
  400: invalid,
  401: { beginning: 'The service does not accept the token', hint: ({ service }) => service.signInHint() },
  403: {
    beginning: 'The token has no permission for the request',
    hint({ call, service }) {
      const useOther = 'Use a token that has the permission.';
      // `vals me` would fail in the same way.
      if (call.route === 'me') return [useOther, ...hintList(service.signInHint())];
      return [useOther, sh`To see whose token you use, run ${['me']}.`];
    },
  },
  404: absent,
  405: { ...notSupported, beginning: refused.beginning },
  408: notDone,
  409: { ...otherState, own: conflict },
  410: absent,
  412: {
    ...otherState,
    own: ({ ifMatch }) =>
      ifMatch ? { sentence: 'The val was changed on the service after it was read.' } : {},
  },
  413: {
    beginning: 'The request is too large for the service',
    hint: () => 'Split the val into smaller vals.',
  },
  422: invalid,
  429: {
    beginning: 'The service received too many requests',
    hint({ fault: { retryAfterMs: ms = 0 } }) {
      return `Wait ${ms > 5_000 ? `${Math.ceil(ms / 1_000)} s` : 'a little'}, then run the command again.`;
    },
  },
  501: notSupported,
  503: { beginning: 'The service is not available', hint: runLater },
};

export function messageOfStatus(call: Call, fault: Status, service: Service): Message {
  const { status, body } = fault;
  const reason = reasonOf(fault, service);
  if (!service.hasToken && [401, 403].includes(status)) {
    const sentence = `The service asks for a token, and there is none for ${service.base.origin}.`;
    return { sentence, hint: service.signInHint() };
  }
  // Such a problem says itself what it means: the address may be wrong, and not the token.
  if (status === 403 && concernsCaller(body) && reason !== '')
    return {
      sentence: withFullStop(reason),
      hint: sh`To see the base URL and the token, run ${['config']}.`,
    };
  const row = table[status] ?? (status >= 500 ? notDone : refused);
  const own = row.own?.(call) ?? {};
  const beginning = status >= 500 ? `${row.beginning} (${status})` : row.beginning;
  const sentence =
    own.sentence === undefined
      ? withFullStop([beginning, reason].filter(Boolean).join(': '))
      : own.sentence + afterOwnSentence(call, fault, reason);
  // A val that everybody may read needs no token. Services answer 401, 403 or 404 for any other val.
  if (!service.hasToken && status === 404) {
    const withoutToken = `${sentence} Without a token, you see only what everybody may read.`;
    return { sentence: withoutToken, hint: service.signInHint() };
  }
  return { hint: row.hint({ call, fault, service, reason }), ...own, sentence };
}

function reasonOf({ status, body }: Status, { redact }: Service): string {
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const reason = serviceMessageOf(body, redact) ?? '';
  const isTextOfStatus = reason.replace(/\.$/, '').toLowerCase() === STATUS_CODES[status]?.toLowerCase();
  return isTextOfStatus ? '' : reason;
}

/** A plain problem about the val or the name that the own sentence is about says nothing more. */
function afterOwnSentence(call: Call, { status, body }: Status, reason: string): string {
  const isPlainProblem = isObject(body) && body.type === 'about:blank';
  const named = [call.val?.id, nameIn(call)].some((word) => word && reason.includes(word));
  const saysNoMore = isPlainProblem && (named || status === 412);
  return reason === '' || saysNoMore ? '' : ` The service says: ${withFullStop(reason)}`;
}

const noRoute: Message = {
  sentence: 'This service does not support this command, or the base URL is wrong.',
  hint: sh`To check the base URL, run ${['config']}.`,
};

/** What is gone does not exist. */
function absentThing({ route, val, version }: Call): Partial<Message> {
  if (route === 'any') return { hint: 'Check the path of the request, and the ids in the path.' };
  if (val === undefined) return noRoute;
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
  switch (call.route) {
    case 'createVal':
    case 'changeVal':
      if (name === '') return {};
      return { sentence: `There is a val named ${name} already.`, hint: 'Choose another name.' };
    case 'putVal':
      return { hint: toSeeVal(name) };
    case 'deleteVersion':
      return {
        hint: sh`To delete the val with all its versions, run ${['val', 'rm', call.val?.word ?? '']}.`,
      };
    default:
      return {};
  }
}

function invalidInput(call: Call): Partial<Message> {
  const name = nameIn(call);
  const valid = validName(name);
  return valid === undefined || valid === name ? {} : { hint: `Use a valid name, such as ${valid}.` };
}

/** What to do if nobody knows whether the service made the change. */
export function ifUnknown({ route, val, version }: Call): Hints {
  if (route === 'createVal')
    return 'You can safely run the command again: if the val was made, its name is taken now.';
  if (route === 'putVal') return 'You can safely push again: both pushes give the val the same code.';
  if (val === undefined)
    return 'Before you send the change again, check whether the service made the change.';
  return version === undefined ? toSeeVal(val.word) : toListVersions(val.word);
}

/** The name that a val was to get. */
const nameIn = ({ route, body }: Call): string =>
  ['createVal', 'putVal', 'changeVal'].includes(route) && isObject(body) ? (textOf(body.name) ?? '') : '';

const toListVersions = (val: string): Hint =>
  sh`To list the versions that exist, run ${['version', 'ls', val]}.`;

const toSeeVal = (val: string): Hint => sh`To see the val as it is now, run ${['val', 'get', val]}.`;
