// Sends a call to the service, with the token and with retries.
//
// The files of this folder, in the order in which a call needs them:
// - client.ts: one call, which is one or more attempts within one deadline
// - gate.ts, pace.ts: how many requests are under way at the same time
// - connections.ts, exchange.ts: one request and the bytes of its reply, on a connection of undici
// - tunnels.ts, parser.ts: connections through a proxy, and undici's parser
// - read-reply.ts: what the bytes of a reply mean
// - connection-fault.ts, tls-problem.ts: why there was no reply
// - retry.ts: whether and when to make another attempt
// - failed-call.ts: the error that the user reads
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { AuthError, InterruptedError } from '../../errors.ts';
import { wait } from '../../lib/clock.ts';
import type { Hints } from '../../lib/hint.ts';
import { encodeJson } from '../../lib/json.ts';
import type { Call, Reply, Request } from '../call.ts';
import { connectionFault } from './connection-fault.ts';
import { type ConnectionsOptions, createConnections } from './connections.ts';
import type { HttpRequest } from './exchange.ts';
import { failureOf } from './failed-call.ts';
import { createGate } from './gate.ts';
import { requireWebAssembly } from './parser.ts';
import { readReply } from './read-reply.ts';
import {
  asksForFewer,
  backoffMs,
  type Fault,
  isFault,
  isRepeatable,
  isStatus,
  maxAttempts,
  mayHaveBeenApplied,
  maySendAgain,
} from './retry.ts';

export interface Client {
  request: Request;
  close(): void;
}

export interface ClientOptions extends Omit<ConnectionsOptions, 'origin'> {
  baseUrl: { origin: string; href: string };
  token: string | undefined;
  userAgent: string;
  /** The time limit of one call, with all attempts and the pauses between attempts. */
  deadlineMs: number;
  /** The reason of the abort must be an InterruptedError. */
  signal: AbortSignal;
  concurrency: number | 'auto';
  trace: (line: string) => void;
  redact: (text: string) => string;
  signInHint: Hints;
  /** What the user typed for a val, for messages. */
  wordFor?(id: string): string | undefined;
}

const minAttemptLimitMs = 10_000;

export function createClient(options: ClientOptions): Client {
  requireWebAssembly();
  const { baseUrl, token, proxy, clock, trace, redact, deadlineMs, signInHint } = options;
  const { wordFor = () => undefined } = options;
  const { origin } = baseUrl;
  const basePath = baseUrl.href.slice(origin.length);
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  // Each connection and each waiting retry adds a listener. Node would print a warning for more than ten listeners.
  setMaxListeners(0, signal);
  const connections = createConnections({ origin, proxy, clock, signal });
  const gate = createGate(options.concurrency, clock, signal);

  async function request(call: Call): Promise<Reply> {
    const { method } = call;
    const httpRequest = toHttpRequest(call);
    let maybeApplied = false;
    let deadline: number | undefined;

    for (let attempt = 1; ; attempt++) {
      const isRetry = attempt > 1;
      const leaveGate = await gate.enter(isRetry);
      // The deadline starts after the first wait at the gate, so that this wait does not count.
      deadline ??= clock.now() + deadlineMs;
      const result = await send(call, httpRequest, attempt, deadline - clock.now());
      leaveGate(isFault(result) && asksForFewer(result) ? 'refused' : 'replied');
      if (!isFault(result)) return result;
      const fault = result;
      const isDeletedByEarlierAttempt = method === 'DELETE' && isRetry && isStatus(fault, 404);
      if (isDeletedByEarlierAttempt) return { status: 404, body: undefined };
      maybeApplied ||= mayHaveBeenApplied(method, fault);
      throwIfInterrupted(call, maybeApplied);

      const delayMs = backoffMs(attempt, fault, Math.random());
      const hasTimeLeft = clock.now() + delayMs < deadline;
      if (attempt === maxAttempts || !hasTimeLeft || !maySendAgain(method, fault)) {
        throw failureOf({ call, fault, maybeApplied, origin, signInHint, wordFor });
      }
      await waitBeforeRetry(fault, delayMs);
      throwIfInterrupted(call, maybeApplied);
    }
  }

  function toHttpRequest(call: Call): HttpRequest {
    const { method, path } = call;
    if (token === undefined && !call.tokenIsOptional) {
      throw new AuthError(`There is no token for ${origin}.`, { hint: signInHint, method, path });
    }
    const query = call.query?.toString();
    const body = bodyOf(call);
    return {
      method,
      origin,
      pathWithQuery: basePath + path + (query ? `?${query}` : ''),
      headers: headersFor(call, body),
      body,
    };
  }

  const headersFor = (
    { method, ifMatch, ifNoneMatch }: Call,
    body: string | undefined,
  ): Record<string, string> => ({
    accept: 'application/json',
    'user-agent': options.userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  });

  async function send(
    { isRaw = false }: Call,
    httpRequest: HttpRequest,
    attempt: number,
    leftMs: number,
  ): Promise<Reply | Fault> {
    if (signal.aborted) return { kind: 'not_connected', reason: 'interrupted' };
    const { method, pathWithQuery } = httpRequest;
    const started = clock.now();
    trace(`> ${method} ${origin}${pathWithQuery} (attempt ${attempt})`);
    const received = await connections.exchange(httpRequest, Math.min(leftMs, attemptLimitMs(method)));
    const result =
      'error' in received
        ? connectionFault(received, origin, proxy)
        : readReply(httpRequest, received, { isRaw, redact, now: clock.now() });
    const shown = isFault(result) ? result.reason : result.status;
    trace(`< ${shown} in ${Math.round(clock.now() - started)} ms`);
    return result;
  }

  /** One attempt of a repeatable request gets half of the time limit, so that time is left for a retry. */
  const attemptLimitMs = (method: string): number =>
    isRepeatable(method) ? Math.max(minAttemptLimitMs, deadlineMs / 2) : deadlineMs;

  function throwIfInterrupted({ method, path, ifUnknown }: Call, maybeApplied: boolean): void {
    if (!signal.aborted) return;
    const reason = signal.reason as InterruptedError;
    if (!maybeApplied) throw reason;
    throw new InterruptedError(
      reason.exit,
      'Interrupted while the request was under way. It is not known whether the service made the change.',
      { hint: ifUnknown, method, path },
    );
  }

  async function waitBeforeRetry(fault: Fault, delayMs: number): Promise<void> {
    if (isStatus(fault, 429)) gate.pause(delayMs);
    trace(`  retry in ${Math.round(delayMs)} ms`);
    await wait(clock, delayMs, signal);
  }

  return {
    request,
    // Ends the requests that the command no longer needs, such as requests for the next pages of a list.
    close: () => closing.abort(new InterruptedError(0)),
  };
}

function bodyOf({ text, body }: Call): string | undefined {
  if (text !== undefined) return text;
  return body === undefined ? undefined : encodeJson(body);
}
