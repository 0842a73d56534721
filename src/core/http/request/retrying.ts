import { randomUUID } from 'node:crypto';
import { type Clock, wait } from '../../lib/clock.ts';
import type { Call, Reply, Request, RequestStage } from '../call.ts';
import { CallFailed, type Fault, isFault } from './faults.ts';
import type { Gate } from './gate.ts';
import {
  asksForFewer,
  attemptLimitMs,
  backoffMs,
  isDone,
  isStatus,
  maxAttempts,
  mayHaveBeenApplied,
  maySendAgain,
} from './retry.ts';

export interface RetryOptions {
  clock: Clock;
  /** The time limit of one call, with all attempts and the pauses between attempts. */
  deadlineMs: number;
  gate: Gate;
  signal: AbortSignal;
  onPause?(ms: number): void;
}

/** Makes up to four attempts within one deadline. retry.ts has the rules. */
export const retrying =
  ({ clock, deadlineMs, gate, signal, onPause = () => {} }: RetryOptions): RequestStage =>
  (next) =>
  async (call) => {
    const { method } = call;
    const idempotencyKey = method === 'POST' ? randomUUID() : undefined;
    let maybeApplied = false;
    let deadline: number | undefined;

    const stopIfInterrupted = () => {
      if (signal.aborted) throw new CallFailed(call, { kind: 'interrupted' }, maybeApplied);
    };

    for (let number = 1; ; number++) {
      const leaveGate = await gate.enter(number > 1);
      // The deadline starts after the first wait at the gate, so that this wait does not count.
      deadline ??= clock.now() + deadlineMs;
      const limitMs = Math.min(deadline - clock.now(), attemptLimitMs(method, deadlineMs));
      const result = await tryOnce(next, { ...call, attempt: { number, limitMs, idempotencyKey } }, signal);
      leaveGate(isFault(result) && asksForFewer(result) ? 'refused' : 'replied');
      if (!isFault(result)) return result;
      const fault = result;
      if (isDone(method, fault, maybeApplied)) return { status: 404, body: undefined };
      maybeApplied ||= mayHaveBeenApplied(method, fault);
      stopIfInterrupted();

      const delayMs = backoffMs(number, fault, Math.random());
      const hasTimeLeft = clock.now() + delayMs < deadline;
      if (number === maxAttempts || !hasTimeLeft || !maySendAgain(method, fault)) {
        throw new CallFailed(call, fault, maybeApplied);
      }
      if (isStatus(fault, 429)) gate.pause(delayMs);
      onPause(delayMs);
      await wait(clock, delayMs, signal);
      stopIfInterrupted();
    }
  };

async function tryOnce(next: Request, call: Call, signal: AbortSignal): Promise<Reply | Fault> {
  if (signal.aborted) return { kind: 'interrupted' };
  try {
    return await next(call);
  } catch (error) {
    if (error instanceof CallFailed) return error.fault;
    throw error;
  }
}
