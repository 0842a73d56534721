import { isObject } from '../../lib/json.ts';
import { holdsSecret } from '../../lib/visible.ts';
import { type Clock, wait, within } from '../../lib/waiting.ts';
import type { Call, Found, Reply, Request } from '../call.ts';
import type { OpenDispatcher } from './dispatcher.ts';
import {
  CallFailed,
  type Fault,
  isFault,
  isOfSystem,
  isRead,
  isRepeatable,
  isStatus,
  maySendAgain,
  meaningOf,
  wasCutOff,
} from './faults.ts';
import type { Limiter } from './limiter.ts';
import { faultOf } from './no-reply.ts';
import { type HttpRequest, readReply, requestOf, type Sender, send } from './send.ts';
import { type Trace, traceAttempt } from './trace.ts';

export interface RequestOptions extends Sender {
  open: OpenDispatcher;
  limiter: Limiter;
  clock: Clock;
  /** The time limit of one call, with all attempts and the pauses between attempts. */
  deadlineMs: number;
  signal: AbortSignal;
  trace?: Trace | undefined;
}

const mostAttempts = 4;
const mostQueries = 4;

/** What the calls of a command know of each other. */
interface Shared {
  /** A call got nothing but 429 until its deadline, and no other call was answered meanwhile. So none waits as long. */
  gaveUp: Fault | undefined;
  /** How many attempts were answered with anything but 429. */
  answered: number;
}

/** One call, with all its attempts. */
interface Sending extends RequestOptions {
  call: Call;
  request: HttpRequest;
  /** When the time limit ends. */
  deadline: number;
}

/**
 * Sends calls, each with up to four attempts within one deadline. A 429 is no attempt, because the service is there and
 * says when to come back. Throws `CallFailed`. faults.ts has the rules.
 */
export function createRequest(options: RequestOptions): Request {
  const shared: Shared = { gaveUp: undefined, answered: 0 };
  return async (call) => {
    const refusal = faultBeforeSending(call, options.token);
    if (refusal !== undefined) throw new CallFailed(call, refusal);
    await options.limiter.enter();
    try {
      if (shared.gaveUp !== undefined) throw new CallFailed(call, shared.gaveUp);
      return await sendCall(call, options, shared);
    } finally {
      options.limiter.leave();
    }
  };
}

async function sendCall(call: Call, options: RequestOptions, shared: Shared): Promise<Reply> {
  const { clock, deadlineMs, signal } = options;
  // The wait for the first place does not count.
  const begin = clock.now();
  const sending = { ...options, call, request: requestOf(call, options), deadline: begin + deadlineMs };
  const answeredBefore = shared.answered;
  let maybeApplied = false;
  let refusals = 0;
  /** Of the last attempt that was not cut off. */
  let lastWhole: Fault | undefined;

  for (let requests = 1; ; requests++) {
    if (signal.aborted) throw new CallFailed(call, { kind: 'interrupted' }, { maybeApplied });
    const result = await attempt(sending, requests - refusals);
    const isRefusal = isFault(result) && isStatus(result, 429);
    if (!isRefusal) {
      shared.gaveUp = undefined;
      shared.answered += 1;
    }
    if (!isFault(result)) return result;
    if (maybeApplied && isDeletion(call) && isStatus(result, 404)) return { status: 404, body: undefined };

    maybeApplied ||= !isRead(call.method) && meaningOf(result).maybeApplied;
    if (signal.aborted) throw new CallFailed(call, { kind: 'interrupted' }, { maybeApplied });
    if (isRefusal) refusals += 1;
    if (!wasCutOff(result)) lastWhole = result;
    const isLast = requests - refusals === mostAttempts;
    const next = await afterFault(sending, result, { maybeApplied, isLast, requests });
    if (next === 'again') continue;
    if (next !== 'over') return next;
    const triedForMs = clock.now() - begin;
    const fault = faultOfCall(result, lastWhole, triedForMs);
    if (isRefusal && shared.answered === answeredBefore) shared.gaveUp = fault;
    const isLate = wasCutOff(result) || !hasTime(sending);
    throw new CallFailed(call, fault, { maybeApplied, ...(isLate && { triedForMs }) });
  }
}

async function attempt(sending: Sending, number: number): Promise<Reply | Fault> {
  const { call, request, open, clock, limiter, signal, trace, deadline, deadlineMs } = sending;
  const { method, origin, path } = request;
  const mayFollow = isRepeatable(call) || call.findOutcome !== undefined;
  const longestMs = mayFollow ? Math.max(leastAttemptMs, deadlineMs / 2) : deadlineMs;
  const limitMs = Math.min(deadline - clock.now(), longestMs);
  const traceResult =
    trace && traceAttempt(trace, { method, address: origin + path, attempt: number }, clock.now);
  const answer = await send(open, request, { clock, limitMs, signal });
  const result = 'error' in answer ? faultOf(answer) : readReply(call, answer, clock.now());
  if (!isFault(result)) limiter.wentWell();
  else if (meaningOf(result).wantsFewerRequests) limiter.refused();
  traceResult?.(result);
  return result;
}

/** Whether the call is sent again. If its outcome is open and the service tells it, the reply. */
async function afterFault(
  sending: Sending,
  fault: Fault,
  { maybeApplied, isLast, requests }: { maybeApplied: boolean; isLast: boolean; requests: number },
): Promise<Reply | 'again' | 'over'> {
  const { call, signal } = sending;
  const maySend = !isLast && maySendAgain(call, fault);
  if (call.findOutcome === undefined || !maybeApplied)
    return maySend && (await pause(sending, fault, requests)) ? 'again' : 'over';
  const isInTime = await pause(sending, fault, requests);
  const found = await pollOutcome(call.findOutcome, fault, sending);
  if (found !== undefined && found !== 'not made') return found;
  const mayRepeat = found === 'not made' && !isLast && (maySend || meaningOf(fault).maybeApplied);
  return signal.aborted || (mayRepeat && isInTime && hasTime(sending)) ? 'again' : 'over';
}

/** Asks what became of a write. If the service may still make it, several times, and it is not sent again. */
async function pollOutcome(
  findOutcome: () => Promise<Found>,
  fault: Fault,
  sending: Sending,
): Promise<Found> {
  const { clock, deadline, limiter, signal } = sending;
  for (let queries = 1; ; queries++) {
    const ms = deadline - clock.now();
    if (ms <= 0 || signal.aborted) return undefined;
    const query = async () => within(clock, ms, findOutcome().catch(failedQuery), undefined);
    // With `--concurrency 1`, it would wait for itself.
    const found = await limiter.aside(query);
    if (found !== 'not made' || !meaningOf(fault).mayApplyLater) return found;
    if (queries === mostQueries || !(await pause(sending, fault, queries))) return undefined;
  }
}

/** Whether another attempt may begin. One that the deadline cuts off at once could leave the outcome of a write open. */
function hasTime({ clock, deadline, deadlineMs }: Sending, delayMs = 0): boolean {
  const leastMs = Math.max(leastBeginMs, deadlineMs / 10);
  return clock.now() + delayMs <= deadline - leastMs;
}

/** Returns false if there is no time for another attempt. */
async function pause(sending: Sending, fault: Fault, requests: number): Promise<boolean> {
  const { clock, limiter, signal, trace } = sending;
  const delayMs = delayAfter(fault, requests);
  if (!hasTime(sending, delayMs)) return false;
  trace?.write(`  retry in ${Math.round(delayMs)} ms`);
  const waitHere = () => wait(clock, delayMs, signal);
  await (meaningOf(fault).wantsFewerRequests ? limiter.pause(waitHere) : waitHere());
  return hasTime(sending);
}

const failedQuery = () => undefined;

/** An attempt that was cut off tells less than the one before it. */
function faultOfCall(last: Fault, lastWhole: Fault | undefined, afterMs: number): Fault {
  if (!wasCutOff(last)) return last;
  return lastWhole ?? { ...last, trouble: { kind: 'no reply', afterMs } };
}

function faultBeforeSending(call: Call, token: string | undefined): Fault | undefined {
  if (token !== undefined) return secretIn(call, token);
  return call.tokenIsOptional ? undefined : { kind: 'no token' };
}

/** If an earlier attempt may have deleted it, a 404 says that it did. */
const isDeletion = ({ route }: Call): boolean => route === 'deleteVal' || route === 'deleteVersion';

/** An attempt gets half of the time at most, and so much at least, so that time is left for another one. */
const leastAttemptMs = 10_000;
const leastBeginMs = 250;
const firstDelayMs = 500;
/** A service that is not there is reported within two seconds. */
const firstDelayOfRefusedMs = 250;
const longestDelayMs = 8_000;

/** The delay is random, so that many clients do not try again at the same moment. After a 429, it is half of it at least. */
function delayAfter(fault: Fault, requests: number): number {
  const firstMs = isOfSystem(fault, 'ECONNREFUSED') ? firstDelayOfRefusedMs : firstDelayMs;
  const longestMs = Math.min(longestDelayMs, firstMs * 2 ** (requests - 1));
  const share = isStatus(fault, 429) ? (1 + Math.random()) / 2 : Math.random();
  const retryAfterMs = fault.kind === 'status' ? (fault.retryAfterMs ?? 0) : 0;
  return Math.max(retryAfterMs, longestMs * share);
}

const bodyFields = ['code', 'readme', 'name', 'privacy', 'error'];

/** The token must be in no content, which others may read, and in no address, which servers write to their logs. */
export function secretIn(call: Call, token: string): Fault | undefined {
  const part = partWithSecret(call, token);
  return part === undefined ? undefined : { kind: 'secret', part };
}

function partWithSecret({ body, path, query }: Call, token: string): string | undefined {
  // The path of `vals api` has its query in it, as the user wrote it.
  const inPath = new URLSearchParams(path.replace(/^[^?]*\??/, ''));
  const isInQuery = [...(query ?? []), ...inPath].flat().some((text) => holdsSecret(text, token));
  if (isInQuery) return 'query';
  if (holdsSecret(path, token)) return 'path';
  if (!isObject(body)) return undefined;
  return bodyFields.find((field) => {
    const text = body[field];
    return typeof text === 'string' && holdsSecret(text, token);
  });
}
