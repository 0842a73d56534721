import { type Clock, wait } from '../../lib/clock.ts';
import type { Call, Reply, Request } from '../call.ts';
import type { OpenDispatcher } from './dispatcher.ts';
import {
  CallFailed,
  type Fault,
  isFault,
  isRead,
  isRepeatable,
  isStatus,
  maySendAgain,
  meaningOf,
} from './faults.ts';
import type { Limiter } from './limiter.ts';
import { faultOf } from './no-reply.ts';
import { readReply } from './read-reply.ts';
import { secretIn } from './secrets.ts';
import { type HttpRequest, requestOf, type Sender, send } from './send.ts';
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

/** Sends calls, each with up to four attempts within one deadline. Throws `CallFailed`. faults.ts has the rules. */
export function createRequest(options: RequestOptions): Request {
  const { token, limiter, clock, deadlineMs, signal, trace } = options;

  return async (call) => {
    const refusal = faultBeforeSending(call, token);
    if (refusal !== undefined) throw new CallFailed(call, refusal);
    const leave = await limiter.enter();
    try {
      return await sendCall(call);
    } finally {
      leave();
    }
  };

  async function sendCall(call: Call): Promise<Reply> {
    const { method } = call;
    const request = requestOf(call, options);
    const attemptLimitMs = isRepeatable(method) ? Math.max(leastAttemptMs, deadlineMs / 2) : deadlineMs;
    // The wait for a place does not count.
    const begin = clock.now();
    const deadline = begin + deadlineMs;
    let maybeApplied = false;

    for (let number = 1; ; number++) {
      if (signal.aborted) throw new CallFailed(call, { kind: 'interrupted' }, maybeApplied);
      const address = options.base.origin + request.path;
      const traceResult = trace && traceAttempt(trace, { method, address, attempt: number }, clock.now);
      const limitMs = Math.min(deadline - clock.now(), attemptLimitMs);
      const result = await attempt(call, request, limitMs);
      traceResult?.(result);
      if (!isFault(result)) return result;
      if (maybeApplied && isDeletion(call) && isStatus(result, 404)) return { status: 404, body: undefined };

      maybeApplied ||= !isRead(method) && meaningOf(result).maybeApplied;
      if (signal.aborted) throw new CallFailed(call, { kind: 'interrupted' }, maybeApplied);
      const delayMs = delayAfter(result, number);
      const hasTimeLeft = clock.now() + delayMs < deadline;
      if (number === mostAttempts || !hasTimeLeft || !maySendAgain(method, result)) {
        throw new CallFailed(call, waitedFor(result, clock.now() - begin), maybeApplied);
      }
      trace?.write(`  retry in ${Math.round(delayMs)} ms`);
      await wait(clock, delayMs, signal);
    }
  }

  async function attempt(call: Call, request: HttpRequest, limitMs: number): Promise<Reply | Fault> {
    const endAttempt = limiter.beginAttempt();
    const answer = await send(options.open, request, { clock, limitMs, signal });
    const result = 'error' in answer ? faultOf(answer) : readReply(call, answer, clock.now());
    endAttempt(isFault(result) && meaningOf(result).wantsFewerRequests ? 'refused' : 'went well');
    return result;
  }
}

/** The user waited for all attempts, and not for the last one alone. */
const waitedFor = (fault: Fault, afterMs: number): Fault =>
  fault.kind === 'timed out' && fault.trouble.kind === 'no reply'
    ? { ...fault, trouble: { ...fault.trouble, afterMs } }
    : fault;

function faultBeforeSending(call: Call, token: string | undefined): Fault | undefined {
  if (token !== undefined) return secretIn(call, token);
  return call.tokenIsOptional ? undefined : { kind: 'no token' };
}

/** If an earlier attempt may have deleted it, a 404 says that it did. */
const isDeletion = ({ route }: Call): boolean => route === 'deleteVal' || route === 'deleteVersion';

/** An attempt gets half of the time at most, and so much at least, so that time is left for another one. */
const leastAttemptMs = 10_000;
const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** The delay is random (full jitter), so that many clients do not try again at the same moment. */
function delayAfter(fault: Fault, attempt: number): number {
  const jittered = Math.random() * Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  const retryAfterMs = fault.kind === 'status' ? (fault.retryAfterMs ?? 0) : 0;
  return Math.max(retryAfterMs, jittered);
}
