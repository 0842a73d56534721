// Makes one attempt over HTTP: sends the request and returns an answer or a fault. This file never retries.
import { isUtf8 } from 'node:buffer';
import type { Clock } from '../../lib/clock.ts';
import { parseJson } from '../../lib/json.ts';
import { isLarge } from '../../lib/page.ts';
import { interruptible } from '../../lib/signals.ts';
import { createAgent } from './agent.ts';
import { type Answer, type Fault, isFault } from './attempt.ts';
import { createFaults } from './connection-fault.ts';
import {
  encodingOf,
  exchange,
  type HttpRequest,
  headerOf,
  type Interrupts,
  ignoresBody,
  isRedirect,
  isSuccess,
  type Reply,
} from './exchange.ts';
import type { ProxyAddress } from './proxy.ts';
import { isRead, parseRetryAfter } from './retry.ts';

export interface TransportOptions {
  /** `href` is the origin with the path in front of every route. */
  baseUrl: { origin: string; href: string };
  /** Undefined for a direct connection. */
  proxy: ProxyAddress | undefined;
  clock: Clock;
  /** Aborted when the user interrupts or the client is closed. */
  signal: AbortSignal;
}

export interface Transport {
  /** `limitMs`: how long to wait for the whole answer. */
  send(request: HttpRequest, limitMs: number): Promise<Answer | Fault>;
  close(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, proxy, clock, signal } = options;
  const agent = createAgent(baseUrl.origin, proxy, clock);
  const faults = createFaults(options);
  // All exchanges share one abort listener. A listener for each exchange would keep old answers in memory.
  const interrupts: Interrupts = [];
  signal.addEventListener('abort', () => {
    for (const interrupt of [...interrupts]) interrupt();
  });

  return {
    async send(request, limitMs) {
      if (signal.aborted) return { kind: 'not_connected', reason: 'interrupted' };
      const connection = agent.take();
      try {
        const reply = await exchange(connection.client, request, { limitMs, clock, interrupts });
        if ('error' in reply) return faults.of(reply);
        // A service may close the connection right after its answer. undici notices the closed connection only if the
        // next request is sent in a later turn of the event loop.
        await new Promise(setImmediate);
        // If the body of a success is incomplete, the connection counts as lost. For an error, the status is enough.
        if (reply.body instanceof Error && isSuccess(reply)) {
          return faults.of({ error: reply.body, sent: true });
        }
        const read = () => readReply(request, reply, clock);
        const isLong = reply.body instanceof Buffer && isLarge(reply.body.length);
        const result = isLong ? await interruptible(read) : read();
        return isFault(result) ? (faults.ifPortExpectsTls(result) ?? result) : result;
      } finally {
        agent.giveBack(connection);
      }
    },
    close: () => agent.close(),
  };
}

function readReply(request: HttpRequest, reply: Reply, clock: Clock): Answer | Fault {
  const { status, body } = reply;
  const unusable = (reason: string): Fault => ({ kind: 'unusable', status, reason });
  if (isRedirect(reply)) {
    return unusable(
      `sent a redirect to ${headerOf(reply, 'location') ?? 'nowhere'}, and redirects are not followed`,
    );
  }
  if (!isSuccess(reply)) {
    return {
      kind: 'status',
      status,
      reason: `answered ${status}`,
      body: body instanceof Buffer ? errorBody(body) : undefined,
      retryAfterMs: parseRetryAfter(headerOf(reply, 'retry-after'), clock.now()),
    };
  }
  if (body instanceof Buffer) return decode(request, status, body);
  return unusable(
    body === 'too large'
      ? 'sent an answer larger than 64 MiB'
      : `sent a compressed answer (${encodingOf(reply)}), although the request did not ask for one`,
  );
}

function decode(request: HttpRequest, status: number, bytes: Buffer): Answer | Fault {
  if (ignoresBody(request)) return { status, body: undefined };
  const unreadable = (reason: string, body?: string): Fault => ({ kind: 'unreadable', status, reason, body });
  if (!isUtf8(bytes)) return unreadable('sent an answer that is not UTF-8');
  const text = bytes.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') {
    const mayBeEmpty = !isRead(request.method) || (request.acceptsAnyAnswer && status === 204);
    return mayBeEmpty ? { status, body: undefined } : unreadable('sent an empty answer');
  }
  try {
    return { status, body: parseJson(text), isLarge: isLarge(bytes.length) };
  } catch (error) {
    if (error instanceof RangeError) {
      const reason = 'sent JSON that is nested too deeply or has too many values';
      return { kind: 'unusable', status, reason };
    }
    return unreadable('sent an answer that is not JSON', text);
  }
}

function errorBody(bytes: Buffer): unknown {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
