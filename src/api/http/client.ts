// Sends a call: adds the token, limits the requests at a time, retries until the deadline.
//
// The words of this folder:
// - call: a request as a command makes it (../call.ts)
// - HTTP request: a call with its headers and its body as text (exchange.ts)
// - exchange: the bytes of one HTTP request and its reply, over a connection (exchange.ts, agent.ts, connect.ts, proxy.ts)
// - attempt: an exchange that ends with an answer or a fault (attempt.ts, transport.ts, connection-fault.ts)
// - retry: another attempt, if the fault allows it (retry.ts), within the number of requests at a time (gate.ts, pace.ts)
// - failure: the error that the user reads after the last attempt (failure.ts)
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { AuthError, InterruptedError } from '../../errors.ts';
import { wait } from '../../lib/clock.ts';
import { encodeJson } from '../../lib/json.ts';
import type { Call } from '../call.ts';
import { type Answer, type Fault, hasStatus, isFault } from './attempt.ts';
import type { HttpRequest } from './exchange.ts';
import { failureOf } from './failure.ts';
import { createGate } from './gate.ts';
import { requireWebAssembly } from './parser.ts';
import {
  asksForFewer,
  backoffMs,
  isRead,
  isRepeatable,
  maxAttempts,
  mayHaveBeenApplied,
  maySendAgain,
} from './retry.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export interface Client {
  request(call: Call): Promise<Answer>;
  hasWritten(): boolean;
  close(): Promise<void>;
}

export interface ClientOptions extends TransportOptions {
  token: string | undefined;
  userAgent: string;
  /** The time for one call, including all attempts and the pauses between attempts. */
  deadlineMs: number;
  /** Aborted when the user interrupts. The reason of the signal is an InterruptedError. */
  signal: AbortSignal;
  concurrency: number | 'auto';
  trace: (line: string) => void;
  /** The hint for a missing or refused token. */
  signInHint: string;
  /** Removes the token from text that the service sent. */
  redact: (text: string) => string;
}

/** A service that has not answered after this time has probably lost the request. */
const minAttemptLimitMs = 10_000;

export function createClient(options: ClientOptions): Client {
  requireWebAssembly();
  const { baseUrl, token, clock, trace, redact, deadlineMs, signInHint } = options;
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  // Each request that waits for a retry adds a listener. Node would print a warning if there are more than ten listeners.
  setMaxListeners(0, signal);
  const transport = createTransport({ ...options, signal });
  const gate = createGate(options.concurrency, clock, signal);

  let hasWritten = false;

  async function request(call: Call): Promise<Answer> {
    hasWritten ||= !isRead(call.method);
    const httpRequest = requestOf(call);
    let maybeApplied = false;
    let deadline: number | undefined;

    for (let attempt = 1; ; attempt++) {
      const othersUnderWay = await gate.enter(attempt > 1);
      // The deadline starts after the gate has admitted the first attempt. The wait at the gate does not count.
      deadline ??= clock.now() + deadlineMs;
      const result = await tryOnce(httpRequest, attempt, deadline - clock.now());
      const isRefused = isFault(result) && asksForFewer(result);
      gate.leave(isRefused ? 'refused' : 'answered', othersUnderWay);
      if (!isFault(result)) return result;
      // An earlier attempt deleted the val or version, and the answer to that attempt was lost.
      if (call.method === 'DELETE' && attempt > 1 && hasStatus(result, 404)) {
        return { status: 404, body: undefined };
      }
      maybeApplied ||= mayHaveBeenApplied(call.method, result);
      if (signal.aborted) throw interruption(call, maybeApplied);

      const delay = backoffMs(attempt, result, Math.random());
      const inTime = clock.now() + delay < deadline;
      if (attempt === maxAttempts || !inTime || !maySendAgain(call.method, result)) {
        const { origin } = baseUrl;
        throw failureOf(call, result, { origin, attempts: attempt, maybeApplied, redact, signInHint });
      }
      if (hasStatus(result, 429)) gate.pause(delay);
      trace(`  retry in ${Math.round(delay)} ms`);
      await wait(clock, delay, signal);
      if (signal.aborted) throw interruption(call, maybeApplied);
    }
  }

  async function tryOnce(httpRequest: HttpRequest, attempt: number, leftMs: number): Promise<Answer | Fault> {
    const { method, origin, path } = httpRequest;
    const started = clock.now();
    trace(`> ${method} ${origin}${path} (attempt ${attempt})`);
    const result = await transport.send(httpRequest, Math.min(leftMs, attemptLimitMs(method)));
    const shown = isFault(result) ? result.reason : result.status;
    trace(`< ${shown} in ${Math.round(clock.now() - started)} ms`);
    return result;
  }

  /** Makes the HTTP request of a call, once for all attempts. Throws if the call needs a token and there is no token. */
  function requestOf(call: Call): HttpRequest {
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
      acceptsAnyAnswer: call.acceptsAnyAnswer === true,
    };
  }

  const headersOf = ({ method, body }: Call): Record<string, string> => ({
    accept: 'application/json',
    'user-agent': options.userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    // By this key, the service can tell a retry from a new request.
    ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
  });

  /** The time limit of one attempt. A request that can be repeated gets half of the deadline, to leave time for a retry. */
  const attemptLimitMs = (method: string): number =>
    isRepeatable(method) ? Math.max(minAttemptLimitMs, deadlineMs / 2) : deadlineMs;

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
      // Stops the requests for pages that were requested ahead and are not needed any more. The user never sees the error.
      closing.abort(new InterruptedError(0));
      await transport.close();
    },
  };
}

function bodyOf({ text, body }: Call): string | undefined {
  if (text !== undefined) return text;
  return body === undefined ? undefined : encodeJson(body);
}
