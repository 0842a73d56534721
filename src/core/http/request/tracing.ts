import type { Clock } from '../../lib/clock.ts';
import { stringifyJson } from '../../lib/json.ts';
import type { RequestStage } from '../call.ts';
import { addressOf } from './exchange.ts';
import { CallFailed, type Fault } from './faults.ts';

export interface TraceOptions {
  base: { href: string };
  clock: Clock;
  trace(line: string): void;
  redact(text: string): string;
}

const longestBody = 2_000;

/** Shows each attempt with --debug: the address, the status, the time, and the body of an error. */
export const tracing =
  ({ base, clock, trace, redact }: TraceOptions): RequestStage =>
  (next) =>
  async (call) => {
    const started = clock.now();
    const took = () => `in ${Math.round(clock.now() - started)} ms`;
    trace(`> ${call.method} ${addressOf(call, base)} (attempt ${call.attempt?.number ?? 1})`);
    try {
      const reply = await next(call);
      trace(`< ${reply.status} ${took()}`);
      return reply;
    } catch (error) {
      if (error instanceof CallFailed) {
        trace(`< ${summaryOf(error.fault)} ${took()}`);
        const body = 'body' in error.fault ? error.fault.body : undefined;
        const text = typeof body === 'string' ? body : stringifyJson(body ?? '');
        // A token that was cut in half would not be recognized, so it is removed first.
        if (body) trace(redact(text).slice(0, longestBody));
      }
      throw error;
    }
  };

function summaryOf(fault: Fault): string {
  if ('trouble' in fault) return `${fault.kind} ${stringifyJson(fault.trouble)}`;
  if ('problem' in fault) return `${fault.status} ${stringifyJson(fault.problem)}`;
  return 'status' in fault ? `${fault.status}` : fault.kind;
}
