// Sends one request and reads its answer as bytes. Gives up at the deadline or when the user interrupts.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';

export interface Outgoing {
  method: string;
  origin: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Whether the answer may be any JSON, or empty. */
  open: boolean;
  /** How long to wait for the whole answer. */
  limitMs: number;
}

/** The head of an answer. */
interface Head {
  status: number;
  headers: IncomingHttpHeaders;
}

export interface Reply extends Head {
  /** The bytes, or the reason why there are none. */
  body: Buffer | 'unwanted' | 'too large' | Error;
}

/** Nothing of an answer arrived. */
export interface NoReply {
  error: Error;
  /** Whether a part of the request may have gone out. */
  sent: boolean;
}

/** The deadline passed, or the user interrupted. */
export class GivenUp extends Error {}

/**
 * The functions that interrupt the exchanges under way. An array and not a Set: V8 keeps the outgrown tables of a Set, and
 * with them the bodies of old requests, until the next full garbage collection.
 */
export type UnderWay = (() => void)[];

/** Uses undici's `dispatch`, because `request` makes a stream of every answer, which takes longer than to read the answer. */
export function exchange(
  dispatcher: Dispatcher,
  outgoing: Outgoing,
  clock: Clock,
  underWay: UnderWay,
): Promise<Reply | NoReply> {
  const { origin, path, headers, body, limitMs } = outgoing;
  const method = outgoing.method as Dispatcher.HttpMethod;
  return new Promise((resolve) => {
    let head: Head | undefined;
    let request: Dispatcher.DispatchController | undefined;
    let given: Error | undefined;
    const chunks: Buffer[] = [];
    let room = 0;
    const settle = (body: Reply['body']) => {
      const at = underWay.indexOf(interrupt);
      if (at === -1) return;
      underWay.splice(at, 1);
      cancelLimit();
      // undici calls onRequestStart right before it writes the first byte.
      resolve(head ? { ...head, body } : { error: body as Error, sent: request !== undefined });
    };
    /** Does not wait for undici, which reports an aborted request only once it is connected. */
    const giveUp = (body: 'unwanted' | 'too large' | Error) => {
      given = body instanceof Error ? body : new Error(body);
      settle(body);
      request?.abort(given);
    };
    const interrupt = () => giveUp(new GivenUp('interrupted'));
    const seconds = Math.round(limitMs / 100) / 10;
    const cancelLimit = clock.after(limitMs, () =>
      giveUp(new GivenUp(`there was no answer within ${seconds} s`)),
    );
    underWay.push(interrupt);
    dispatcher.dispatch(
      // The deadline is ours, so undici's own time-outs are off.
      { method, origin, path, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(controller) {
          if (given) return controller.abort(given);
          request = controller;
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          head = { status, headers };
          room = largestBodyOf(method, head);
          if (room === 0) giveUp('unwanted');
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
          room -= chunk.length;
          if (room < 0) giveUp('too large');
        },
        onResponseEnd: () => settle(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
        onResponseError: (_controller, error) => settle(error),
      },
    );
  });
}

export const headerOf = ({ headers }: Head, name: string): string | undefined =>
  [headers[name] ?? []].flat()[0];
export const isSuccess = ({ status }: Head): boolean => status >= 200 && status < 300;
export const isRedirect = ({ status }: Head): boolean => status >= 300 && status < 400;
export const encodingOf = (head: Head): string => headerOf(head, 'content-encoding') ?? 'identity';
const isEncoded = (head: Head): boolean => encodingOf(head).toLowerCase() !== 'identity';

/** A larger answer is refused, because a part of an answer would be wrong. */
const largestBody = 64 * 1024 * 1024;
/** Enough for the message of an error. */
const largestErrorBody = 1024 * 1024;

function largestBodyOf(method: string, head: Head): number {
  if (isRedirect(head)) return 0;
  // The body of an answered DELETE is not read, so it may be compressed; a HEAD has none.
  if (isEncoded(head) && !(isSuccess(head) && (method === 'DELETE' || method === 'HEAD'))) return 0;
  return isSuccess(head) ? largestBody : largestErrorBody;
}
