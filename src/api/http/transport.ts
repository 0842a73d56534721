import { isUtf8 } from 'node:buffer';
import type { Clock } from '../../lib/clock.ts';
import { isTooComplex, parseJson } from '../../lib/json.ts';
import { isLarge } from '../../lib/page.ts';
import { interruptible } from '../../lib/signals.ts';
import { createSlots, createTurn } from '../../lib/slots.ts';
import { beginningOf, isErrorRecord, serviceMessageOf } from '../records.ts';
import { createAgent } from './agent.ts';
import type { Answer, Fault } from './attempt.ts';
import { connectionFault, faultOfTlsPort } from './connection-fault.ts';
import {
  encodingOf,
  exchange,
  type HttpRequest,
  headerOf,
  type Interrupts,
  ignoresBody,
  isSuccess,
  largestErrorBody,
  type Reply,
} from './exchange.ts';
import type { ProxyAddress } from './proxy.ts';
import { isRead, parseRetryAfter } from './retry.ts';

export interface TransportOptions {
  baseUrl: { origin: string; href: string };
  proxy: ProxyAddress | undefined;
  clock: Clock;
  signal: AbortSignal;
  redact: (text: string) => string;
}

export interface Transport {
  send(request: HttpRequest, limitMs: number): Promise<Answer | Fault>;
  close(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, proxy, clock, signal } = options;
  const { origin } = baseUrl;
  const agent = createAgent(origin, proxy, clock);
  // The signal has one listener for all requests, because one listener per request would keep old answers in memory.
  const interrupts: Interrupts = [];
  signal.addEventListener('abort', () => {
    for (const interrupt of [...interrupts]) interrupt();
  });

  // Large answers are received and parsed one at a time, because 32 answers of 64 MiB at once would fill the memory.
  const largeAnswers = createSlots(1);

  return {
    async send(request, limitMs) {
      if (signal.aborted) return { kind: 'not_connected', reason: 'interrupted' };
      const connection = agent.take();
      const ownTurn = createTurn(largeAnswers);
      try {
        const turn = request.turn ?? ownTurn;
        const reply = await exchange(connection.client, request, { limitMs, clock, interrupts, turn });
        if ('error' in reply) return connectionFault(reply, origin, proxy);
        // The service may have closed the connection after its answer. undici notices this in the next turn of the event
        // loop. Without the wait, the next request could use the closed connection.
        await new Promise(setImmediate);
        const hasLargeBody = reply.body instanceof Buffer && isLarge(reply.body.length);
        const read = () => readReply(request, reply, options);
        return hasLargeBody ? await interruptible(read) : read();
      } finally {
        ownTurn.end();
        agent.giveBack(connection);
      }
    },
    close: () => agent.close(),
  };
}

function readReply(request: HttpRequest, reply: Reply, options: TransportOptions): Answer | Fault {
  const { status, body } = reply;
  const unusable = (reason: string): Fault => ({ kind: 'unusable', status, reason });
  if (body === 'redirect') {
    const location = headerOf(reply, 'location');
    const target = location === undefined ? '' : ` to ${location}`;
    return unusable(`sent a redirect${target}, and vals does not follow redirects`);
  }
  if (!isSuccess(reply)) return readError(request, reply, options);
  if (body instanceof Buffer) return readSuccess(request, reply, body, options);
  if (body instanceof Error) {
    return connectionFault({ error: body, mayHaveReachedService: true }, request.origin, options.proxy);
  }
  if (body === 'too large') return unusable('sent an answer larger than 64 MiB');
  return unusable(
    `sent a compressed answer (${encodingOf(reply)}), although the request did not ask for one`,
  );
}

function readError({ origin }: HttpRequest, reply: Reply, { clock, redact }: TransportOptions): Fault {
  const { status } = reply;
  const text = reply.body instanceof Buffer ? new TextDecoder().decode(reply.body) : '';
  const body = jsonOrText(text);
  const tlsFault = faultOfTlsPort(status, body, origin);
  if (tlsFault) return tlsFault;
  return {
    kind: 'status',
    status,
    reason: `answered ${status}`,
    message: serviceMessageOf(body, redact),
    body: bodyToKeep(body, text, redact),
    retryAfterMs: parseRetryAfter(headerOf(reply, 'retry-after'), clock.now()),
  };
}

/** Commands keep the bodies of failed requests, and the large bodies of a hostile service would fill the memory. */
const longestKept = 65_536;
const longestBeginning = 2_000;

function bodyToKeep(body: unknown, text: string, redact: (text: string) => string): unknown {
  if (typeof body === 'string') return redactedBeginning(body, redact);
  return text.length > longestKept ? redactedBeginning(text, redact) : body;
}

/** `redact` must run first, because it would not recognize a token that was cut in half. */
const redactedBeginning = (text: string, redact: (text: string) => string): string =>
  beginningOf(redact(text), longestBeginning);

function jsonOrText(text: string): unknown {
  if (text.trim() === '') return undefined;
  // Without this limit, errors with 340,000 values each would keep a push of 200 vals busy for a minute.
  if (isTooComplex(text, { maxDepth: 1_000, maxValues: longestKept })) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function readSuccess(
  request: HttpRequest,
  reply: Reply,
  bytes: Buffer,
  { redact }: TransportOptions,
): Answer | Fault {
  const { status } = reply;
  if (ignoresBody(request)) return { status, body: undefined };
  const unreadable = (reason: string, body?: string): Fault => ({ kind: 'unreadable', status, reason, body });
  if (!isUtf8(bytes)) return unreadable('sent an answer that is not UTF-8');
  const text = bytes.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') {
    const mayBeEmpty = !isRead(request.method) || (request.isRaw && status === 204);
    return mayBeEmpty ? { status, body: undefined } : unreadable('sent an empty answer');
  }
  try {
    const body = parseJson(text);
    if (!request.isRaw && isErrorRecord(body)) {
      const message = serviceMessageOf(body, redact) ?? 'no reason was given';
      return { kind: 'unusable', status, reason: `sent an error with the status ${status}: ${message}` };
    }
    return { status, body, bodyBytes: bytes.length, ...etagOf(reply) };
  } catch (error) {
    if (error instanceof RangeError) {
      const reason = 'sent JSON that is nested too deeply or has too many values';
      return { kind: 'unusable', status, reason };
    }
    const body = bytes.length > largestErrorBody ? undefined : redactedBeginning(text, redact);
    return unreadable('sent an answer that is not JSON', body);
  }
}

/** A weak ETag is of no use here: by the rules of HTTP, If-Match never matches a weak ETag. */
function etagOf(reply: Reply): Pick<Answer, 'etag'> {
  const etag = headerOf(reply, 'etag');
  return etag !== undefined && /^(?!W\/)[!-~]+$/.test(etag) ? { etag } : {};
}
