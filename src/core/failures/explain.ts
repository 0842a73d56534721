import {
  type ErrorFacts,
  InterruptedError,
  NoSpaceError,
  UnknownOutcomeError,
  type ValsError,
} from '../errors.ts';
import type { Call, RouteName } from '../http/call.ts';
import {
  type CallFailed,
  type Fault,
  isRead,
  isStatus,
  meaningOf,
  type UnusableReply,
  wasCutOff,
} from '../http/request/faults.ts';
import { type Hints, sh, withFullStop } from '../lib/hint.ts';
import { isObject, type JsonValue, stringifyJson } from '../lib/json.ts';
import { spaceIn } from '../settings/addresses.ts';
import { inSeconds, messageOfTrouble } from './no-reply.ts';
import { ifUnknown, type Message, messageOfStatus, type Service } from './statuses.ts';

/** The error that the user reads. Its exit code is that of the fault, in the table of http/request/faults.ts. */
export function explain({ call, fault, about }: CallFailed, service: Service): ValsError {
  const { maybeApplied, triedForMs, isOthers } = about;
  const facts = factsOf(call, fault, service);
  const inDoubt = { ...facts, hint: ifUnknown(call) };
  if (fault.kind === 'interrupted') {
    const { reason } = service.signal;
    const interrupted = reason instanceof InterruptedError ? reason : new InterruptedError(130);
    if (!maybeApplied) return interrupted;
    const message = `Interrupted while the request was under way. ${outcomeUnknown}`;
    return new InterruptedError(interrupted.exit, message, inDoubt);
  }
  const { name: space } = spaceIn(service.base) ?? {};
  const isMissing = routesOfEveryService.has(call.route) && isStatus(fault, 404, 410);
  if (space !== undefined && isMissing) return noSpace(space, service);

  const { sentence: reason, hint, ...more } = messageOf(call, fault, service);
  const isTimeSaid = triedForMs === undefined || wasCutOff(fault);
  const sentence = isTimeSaid ? reason : `${reason} vals tried for ${inSeconds(triedForMs)}.`;
  const { FailsAs } = meaningOf(fault);
  if (maybeApplied) return new UnknownOutcomeError(`${sentence} ${outcomeUnknown}`, inDoubt);
  if (mayHideChange(call, fault)) return new FailsAs(`${sentence} ${outcomeUnknown}`, inDoubt);
  if (isOthers) return new FailsAs(ofSomebodyElse(call), { ...facts, hint: readOnly });
  // Files that failed alike are one group, whatever time each took.
  const ofMany = isTimeSaid ? {} : { ofMany: reason };
  return new FailsAs(sentence, { ...facts, ...ofMany, ...more, hint });
}

const ofSomebodyElse = ({ val }: Call): string =>
  `The val ${val?.word} belongs to somebody else, or your token may only read it.`;

const readOnly = "To see or change more of it, use its owner's token.";

const outcomeUnknown = 'It is not known whether the service made the change.';

function messageOf(call: Call, fault: Exclude<Fault, { kind: 'interrupted' }>, service: Service): Message {
  switch (fault.kind) {
    case 'no token':
      return { sentence: `There is no token for ${service.base.origin}.`, hint: service.signInHint() };
    case 'secret':
      return {
        sentence: `The ${fault.part} contains your token, so it was not sent.`,
        hint: `Remove your token from the ${fault.part}. Otherwise anybody who can read the ${fault.part} could act as you.`,
      };
    case 'not connected':
    case 'rejected':
    case 'lost':
    case 'timed out':
      return messageOfTrouble(fault, service);
    case 'unreadable':
    case 'unusable':
      return messageOfBadReply(fault, service);
    case 'status':
      return messageOfStatus(call, fault, service);
  }
}

export const notThisService: Hints = [
  'Check that the base URL belongs to a val service.',
  sh`To see the base URL, run ${['config']}.`,
];

type BadReply = Extract<Fault, { kind: 'unreadable' | 'unusable' }>;

function messageOfBadReply({ problem }: BadReply, { base }: Service): Message {
  const what = typeof problem === 'string' ? `a reply that is ${problem}` : describe(problem);
  return { sentence: withFullStop(`${base.origin} sent ${what}`), hint: notThisService };
}

/** The status of a success does not show that a write was done, if nobody can read its reply. */
function mayHideChange({ method }: Call, fault: Fault): boolean {
  return !isRead(method) && 'problem' in fault && fault.status < 300;
}

function describe(problem: UnusableReply): string {
  switch (problem.kind) {
    case 'redirect':
      return `a redirect to ${problem.location ?? 'nowhere'}, and vals does not follow redirects`;
    case 'compressed':
      return `a compressed reply (${problem.encoding}), although the request did not ask for one`;
    case 'too large':
      return 'a reply larger than 64 MiB';
    case 'wrong shape':
      return `${kindOf(problem.found)} instead of ${problem.wanted}`;
  }
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array';
  if (isObject(value))
    return `an object with the keys ${Object.keys(value).slice(0, 5).join(', ') || '(none)'}`;
  return typeof value === 'string' || typeof value === 'number' ? `a ${typeof value}` : `${value}`;
}

/** If one of them is missing below a space, the space is. */
const routesOfEveryService: ReadonlySet<RouteName> = new Set([
  'me',
  'myRuns',
  'myLikes',
  'myComments',
  'myReferences',
  'createVal',
  'putVal',
]);

/** Has no HTTP status, because commands take status 404 to mean that the val or the route does not exist. */
const noSpace = (name: string, { base }: Service): NoSpaceError =>
  new NoSpaceError(`There is no space ${name} on ${base.origin}, or you are not a member of that space.`, {
    hint: [
      sh`To list your spaces, run ${['use']}.`,
      'Not every service has spaces. To become a member, ask the person who runs the service.',
    ],
    scope: 'all',
  });

function factsOf({ method, path }: Call, fault: Fault, { redact }: Service): ErrorFacts {
  const scope = meaningOf(fault).concerns;
  // The path may be what contains the token.
  if (fault.kind === 'secret') return { scope };
  const status = 'status' in fault ? fault.status : undefined;
  const body = 'body' in fault ? bodyToKeep(fault.body, redact) : undefined;
  return { method, path, status, body, scope };
}

const longestErrorBody = 65_536;
const longestBeginning = 2_000;

function bodyToKeep(body: unknown, redact: (text: string) => string): unknown {
  const text = typeof body === 'string' ? body : stringifyJson(body ?? '');
  if (typeof body !== 'string' && text.length <= longestErrorBody) return body;
  // The token goes first, because nobody would recognize a token that was cut in half.
  return redact(text).slice(0, longestBeginning);
}
