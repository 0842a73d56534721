// Sends a call: adds the token, limits the requests at a time, retries until the deadline.
//
// The client uses the gate (how many requests at a time, by the pace of the answers), the transport (one attempt, an answer
// or a fault), retry (whether and when to send again) and failure (the error for the user). The transport uses the agent
// (connections, made by connect and proxy), the exchange (the bytes of one request and its answer) and connection-fault.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { AuthError, InterruptedError } from '../../errors.ts';
import { wait } from '../../lib/clock.ts';
import { encodeJson } from '../../lib/json.ts';
import type { Call } from '../call.ts';
import type { Outgoing } from './exchange.ts';
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

type Message = Omit<Outgoing, 'limitMs'>;

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
    const message = messageOf(call);
    let maybeApplied = false;
    let deadline: number | undefined;

    for (let attempt = 1; ; attempt++) {
      const others = await gate.enter(attempt > 1);
      // The time at the gate does not count.
      deadline ??= clock.now() + deadlineMs;
      const outcome = await tryOnce(message, attempt, deadline - clock.now());
      gate.leave('kind' in outcome && asksForFewer(outcome) ? 'refused' : 'answered', others);
      if (!('kind' in outcome)) return outcome;
      // An earlier attempt deleted it, and its answer was lost.
      if (call.method === 'DELETE' && attempt > 1 && isStatus(outcome, 404)) {
        return { status: 404, body: undefined };
      }
      maybeApplied ||= mayHaveBeenApplied(call.method, outcome);
      if (signal.aborted) throw interruption(call, maybeApplied);

      const delay = backoffMs(attempt, outcome, Math.random());
      const inTime = clock.now() + delay < deadline;
      if (attempt === maxAttempts || !inTime || !maySendAgain(call.method, outcome)) {
        const { origin } = baseUrl;
        throw failureOf(call, outcome, { origin, attempts: attempt, maybeApplied, redact, signInHint });
      }
      if (isStatus(outcome, 429)) gate.pause(delay);
      trace(`  retry in ${Math.round(delay)} ms`);
      await wait(clock, delay, signal);
      if (signal.aborted) throw interruption(call, maybeApplied);
    }
  }

  async function tryOnce(message: Message, attempt: number, leftMs: number): Promise<Answer | Fault> {
    const { method, origin, path } = message;
    const started = clock.now();
    trace(`> ${method} ${origin}${path} (attempt ${attempt})`);
    const outcome = await transport.send({ ...message, limitMs: Math.min(leftMs, longestAttemptMs(method)) });
    const result = 'kind' in outcome ? outcome.reason : outcome.status;
    trace(`< ${result} in ${Math.round(clock.now() - started)} ms`);
    return outcome;
  }

  /** The same for every attempt. Throws if the call needs a token and there is none. */
  function messageOf(call: Call): Message {
    const { method, path } = call;
    const { origin, href } = baseUrl;
    if (token === undefined && !call.withoutToken) {
      throw new AuthError(`There is no token for ${origin}.`, { hint: signInHint, method, path });
    }
    const query = call.query?.toString();
    return {
      method,
      origin,
      path: href.slice(origin.length) + path + (query ? `?${query}` : ''),
      headers: headersOf(call),
      body: bodyOf(call),
      open: call.open === true,
    };
  }

  const headersOf = ({ method, body }: Call): Record<string, string> => ({
    accept: 'application/json',
    'user-agent': options.userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    // By this key, the service can tell a retry from a second request.
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
