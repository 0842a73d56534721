// Sends one request and reads its answer as bytes. Gives up at the deadline or when the user interrupts.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';

export interface HttpRequest {
  method: string;
  origin: string;
  /** The path with the query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Whether the answer may be any JSON, or empty. */
  acceptsAnyAnswer: boolean;
}

interface Head {
  status: number;
  headers: IncomingHttpHeaders;
}

export interface Reply extends Head {
  /** The bytes of the body, or the reason why there is no body. */
  body: Buffer | NoBody;
}

type NoBody = 'unwanted' | 'too large' | Error;

/** The result of an exchange in which no part of an answer arrived. */
export interface NoReply {
  error: Error;
  /** Whether a part of the request may have gone out. */
  sent: boolean;
}

/** The error of an exchange that ended because the deadline passed or the user interrupted. */
export class GivenUp extends Error {}

/**
 * The functions that interrupt the exchanges under way. An array and not a Set: V8 keeps the outgrown tables of a Set, and
 * with them the bodies of old requests, until the next full garbage collection.
 */
export type Interrupts = (() => void)[];

interface ExchangeOptions {
  /** How long to wait for the whole answer. */
  limitMs: number;
  clock: Clock;
  /** Contains the function that interrupts this exchange, while the exchange is under way. */
  interrupts: Interrupts;
}

/** Uses undici's `dispatch`, because `request` makes a stream for every answer, and making the stream is slow. */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { limitMs, clock, interrupts }: ExchangeOptions,
): Promise<Reply | NoReply> {
  const { origin, path, headers, body } = request;
  const method = request.method as Dispatcher.HttpMethod;
  return new Promise((resolve) => {
    let head: Head | undefined;
    /** Undefined until undici is about to write the first byte of the request. */
    let controller: Dispatcher.DispatchController | undefined;
    let abortReason: Error | undefined;
    const chunks: Buffer[] = [];
    let bytesLeft = 0;
    let isSettled = false;
    const seconds = Math.round(limitMs / 100) / 10;
    const cancelLimit = clock.after(limitMs, () =>
      giveUp(new GivenUp(`there was no answer within ${seconds} s`)),
    );
    interrupts.push(interrupt);

    function interrupt(): void {
      giveUp(new GivenUp('interrupted'));
    }

    /** Ends the exchange at once. undici would report the abort only after it has connected. */
    function giveUp(reason: NoBody): void {
      abortReason = asError(reason);
      settleWithout(reason);
      controller?.abort(abortReason);
    }

    function settleWithout(reason: NoBody): void {
      if (head) settle({ ...head, body: reason });
      else settle({ error: asError(reason), sent: controller !== undefined });
    }

    function settle(result: Reply | NoReply): void {
      if (isSettled) return;
      isSettled = true;
      interrupts.splice(interrupts.indexOf(interrupt), 1);
      cancelLimit();
      resolve(result);
    }

    dispatcher.dispatch(
      // `limitMs` is the deadline, so undici's timeouts are off.
      { method, origin, path, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(started) {
          if (abortReason) return started.abort(abortReason);
          controller = started;
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          head = { status, headers };
          bytesLeft = largestBodyOf(request, head);
          if (bytesLeft === 0) giveUp('unwanted');
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
          bytesLeft -= chunk.length;
          if (bytesLeft < 0) giveUp('too large');
        },
        onResponseEnd() {
          if (head) settle({ ...head, body: joined(chunks) });
        },
        onResponseError: (_controller, error) => settleWithout(error),
      },
    );
  });
}

const asError = (reason: NoBody): Error => (reason instanceof Error ? reason : new Error(reason));

/** Returns a body of one chunk without a copy. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** Returns the first value if the service sent the header several times. */
export function headerOf({ headers }: Head, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export const isSuccess = ({ status }: Head): boolean => status >= 200 && status < 300;
export const isRedirect = ({ status }: Head): boolean => status >= 300 && status < 400;
export const encodingOf = (head: Head): string => headerOf(head, 'content-encoding') ?? 'identity';
const isEncoded = (head: Head): boolean => encodingOf(head).toLowerCase() !== 'identity';

/** A larger answer is refused, because a part of an answer would be wrong. */
const largestBody = 64 * 1024 * 1024;
/** The body of an error only needs room for a message. */
const largestErrorBody = 1024 * 1024;

/** Returns 0 if vals cannot use the body: that of a redirect, or a compressed body. */
function largestBodyOf(request: HttpRequest, head: Head): number {
  if (isRedirect(head)) return 0;
  // vals cannot decompress a body. A compressed answer is still fine if it has no body, or if vals ignores the body.
  const isBodyIgnored = head.status === 204 || (isSuccess(head) && ignoresBody(request));
  if (isEncoded(head) && !isBodyIgnored) return 0;
  return isSuccess(head) ? largestBody : largestErrorBody;
}

/** Whether vals ignores the body of a successful answer to this request. */
export const ignoresBody = ({ method, acceptsAnyAnswer }: HttpRequest): boolean =>
  method === 'HEAD' || (method === 'DELETE' && !acceptsAnyAnswer);
