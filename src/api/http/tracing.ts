import type { Clock } from '../../lib/clock.ts';
import { stringifyJson } from '../../lib/json.ts';
import type { RequestStage } from '../call.ts';
import { CallFailed } from './call-failed.ts';
import { addressOf } from './exchange.ts';
import type { Fault, Trouble } from './retry.ts';

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
        const body = bodyOf(error.fault);
        // A token that was cut in half would not be recognized, so it is removed first.
        if (body) trace(redact(body).slice(0, longestBody));
      }
      throw error;
    }
  };

function summaryOf(fault: Fault): string {
  if ('status' in fault) return `${fault.status}${fault.kind === 'status' ? '' : ` (${problemOf(fault)})`}`;
  return 'trouble' in fault ? `${fault.kind} (${troubleOf(fault.trouble)})` : fault.kind;
}

const problemOf = ({ problem }: Extract<Fault, { kind: 'unreadable' | 'unusable' }>): string =>
  typeof problem === 'string' ? problem : problem.kind;

function troubleOf(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'tls':
      return `${trouble.at}: ${trouble.problem}`;
    case 'error':
      return `${trouble.at}: ${trouble.code || trouble.kind}`;
    case 'proxy refused':
      return `proxy: status ${trouble.status}`;
    case 'no reply':
      return trouble.kind;
  }
}

function bodyOf(fault: Fault): string {
  const body = 'body' in fault ? fault.body : undefined;
  if (body === undefined) return '';
  return typeof body === 'string' ? body : stringifyJson(body);
}
