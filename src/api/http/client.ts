// Sends a call: adds the token, limits the requests at a time, retries until the deadline.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { AuthError, InterruptedError } from '../../errors.ts';
import { wait } from '../../lib/clock.ts';
import { encodeJson } from '../../lib/json.ts';
import type { Call } from '../call.ts';
import { failureOf } from './failure.ts';
import { createGate } from './gate.ts';
import { requireWebAssembly } from './parser.ts';
import {
  asksForFewer,
  backoffMs,
  type Fault,
  isRead,
  isRepeatable,
  maxAttempts,
  mayHaveBeenApplied,
  maySendAgain,
} from './retry.ts';
import { type Answer, createTransport, type TransportOptions } from './transport.ts';

export interface Client {
  request(call: Call): Promise<Answer>;
  hasWritten(): boolean;
  close(): Promise<void>;
}

export interface ClientOptions extends TransportOptions {
  token: string | undefined;
  userAgent: string;
  /** The time for one call, with all its attempts and the time between them. */
  deadlineMs: number;
  /** Aborted when the user interrupts; its reason is an InterruptedError. */
  signal: AbortSignal;
  /** How many requests at a time. */
  concurrency: number | 'auto';
  trace: (line: string) => void;
  /** The hint for a missing or refused token. */
  signInHint: string;
  /** Removes the token from text that the service sent. */
  redact: (text: string) => string;
}

/** A service that has not answered after this time has probably lost the request. */
const shortestAttemptMs = 10_000;

export function createClient(options: ClientOptions): Client {
  requireWebAssembly();
  const { baseUrl, token, clock, trace, redact, deadlineMs, signInHint } = options;
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  // Each request that waits for its retry adds a listener, and Node would warn the user of more than ten.
  setMaxListeners(0, signal);
  const transport = createTransport({ ...options, signal });
  const gate = createGate(options.concurrency, clock, signal);

  let hasWritten = false;

  async function request(call: Call): Promise<Answer> {
    hasWritten ||= !isRead(call.method);
    if (token === undefined && !call.withoutToken) {
      throw new AuthError(`There is no token for ${baseUrl.origin}.`, {
        hint: signInHint,
        method: call.method,
        path: call.path,
      });
    }
    const query = call.query?.toString();
    const { origin, href } = baseUrl;
    const message = {
      method: call.method,
      origin,
      path: href.slice(origin.length) + call.path + (query ? `?${query}` : ''),
      headers: headersOf(call),
      body: bodyOf(call),
      open: call.open === true,
    };
    let maybeApplied = false;
    let deadline = Infinity;

    for (let attempt = 1; ; attempt++) {
      const others = await gate.enter(attempt > 1);
      const started = clock.now();
      // The time at the gate does not count.
      if (attempt === 1) deadline = started + deadlineMs;
      trace(`> ${call.method} ${origin}${message.path} (attempt ${attempt})`);
      const limitMs = Math.min(deadline - started, longestAttemptMs(call.method));
      const outcome = await transport.send({ ...message, limitMs });
      gate.leave('kind' in outcome && asksForFewer(outcome) ? 'refused' : 'answered', others);
      const took = `in ${Math.round(clock.now() - started)} ms`;
      if (!('kind' in outcome)) {
        trace(`< ${outcome.status} ${took}`);
        return outcome;
      }
      trace(`< ${outcome.reason} ${took}`);
      // An earlier attempt deleted it, and its answer was lost.
      if (call.method === 'DELETE' && attempt > 1 && isStatus(outcome, 404)) {
        return { status: 404, body: undefined };
      }
      maybeApplied ||= mayHaveBeenApplied(call.method, outcome);
      if (signal.aborted) throw interruption(call, maybeApplied);

      const delay = backoffMs(attempt, outcome, Math.random());
      const inTime = clock.now() + delay < deadline;
      if (attempt === maxAttempts || !inTime || !maySendAgain(call.method, outcome)) {
        throw failureOf(call, outcome, { origin, attempts: attempt, maybeApplied, redact, signInHint });
      }
      if (isStatus(outcome, 429)) gate.pause(delay);
      trace(`  retry in ${Math.round(delay)} ms`);
      await wait(clock, delay, signal);
      if (signal.aborted) throw interruption(call, maybeApplied);
    }
  }

  const headersOf = ({ method, body }: Call): Record<string, string> => ({
    accept: 'application/json',
    'user-agent': options.userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    // The same on every attempt, so that the service can tell a retry from a second request.
    ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
  });

  /** A request that can be repeated leaves time for a second attempt. */
  const longestAttemptMs = (method: string): number =>
    isRepeatable(method) ? Math.max(shortestAttemptMs, deadlineMs / 2) : deadlineMs;

  function interruption(call: Call, maybeApplied: boolean): InterruptedError {
    const reason = signal.reason as InterruptedError;
    if (!maybeApplied) return reason;
    return new InterruptedError(
      reason.exit,
      'Interrupted while the request was under way. It is not known whether the change was made.',
      { hint: call.ifUnknown, method: call.method, path: call.path },
    );
  }

  return {
    request,
    hasWritten: () => hasWritten,
    async close() {
      // Stops retries of pages that nobody waits for any more.
      closing.abort(new InterruptedError(0));
      await transport.close();
    },
  };
}

const bodyOf = ({ text, body }: Call): string | undefined =>
  text ?? (body === undefined ? undefined : encodeJson(body));

const isStatus = (fault: Fault, status: number): boolean =>
  fault.kind === 'status' && fault.status === status;
