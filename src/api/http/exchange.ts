import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { Turn } from '../../lib/slots.ts';

export interface HttpRequest {
  method: string;
  origin: string;
  pathWithQuery: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** `vals api` sends raw requests. Their answers may be empty, and the body of the answer to a DELETE is shown. */
  isRaw: boolean;
  turn?: Pick<Turn, 'begin'> | undefined;
}

interface Head {
  status: number;
  headers: IncomingHttpHeaders;
}

export interface Reply extends Head {
  body: Buffer | BodyProblem;
}

/** The reason why the body is missing. */
type BodyProblem = 'redirect' | 'compressed' | 'too large' | Error;

export interface NoReply {
  error: Error;
  mayHaveReachedService: boolean;
}

export class TimeoutOrInterrupt extends Error {}

/** This is an array, because a Set may keep deleted entries in memory until the next full garbage collection. */
export type Interrupts = (() => void)[];

const mostBytesWithoutTurn = 4 * 1024 * 1024;

interface ExchangeOptions {
  limitMs: number;
  clock: Clock;
  interrupts: Interrupts;
  turn: Pick<Turn, 'begin'>;
}

/** Calls undici's `dispatch`, because undici's `request` is slower: it creates a stream for each reply. */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { limitMs, clock, interrupts, turn }: ExchangeOptions,
): Promise<Reply | NoReply> {
  const { origin, pathWithQuery, headers, body } = request;
  const method = request.method as Dispatcher.HttpMethod;
  return new Promise((resolve) => {
    let head: Head | undefined;
    const received = createByteCollector();
    let bytesLeft = 0;
    let hasTurn = false;
    let startedRequest: Dispatcher.DispatchController | undefined;
    let isFinished = false;
    const began = clock.now();
    let cancelLimit = startLimit(limitMs);
    const interrupt = () => giveUp(new TimeoutOrInterrupt('interrupted'));
    interrupts.push(interrupt);

    dispatcher.dispatch(
      { method, origin, path: pathWithQuery, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(started) {
          startedRequest = started;
          if (isFinished) started.abort(new TimeoutOrInterrupt());
        },
        onResponseStart(_controller, status, headers) {
          const isInterim = status < 200;
          if (isInterim) return;
          head = { status, headers };
          const problem = bodyProblem(request, head);
          if (problem !== undefined) return giveUp(problem);
          bytesLeft = isSuccess(head) ? largestBody : largestErrorBody;
        },
        onResponseData(controller, chunk) {
          received.add(chunk);
          bytesLeft -= chunk.length;
          if (bytesLeft < 0) giveUp('too large');
          else if (!hasTurn && received.length() > mostBytesWithoutTurn) waitForTurn(controller);
        },
        onResponseEnd() {
          if (head) finish({ ...head, body: received.bytes() });
        },
        onResponseError: (_controller, error) => finishWithoutBody(error),
      },
    );

    function startLimit(ms: number): () => void {
      return clock.after(ms, () => giveUp(timedOut(limitMs)));
    }

    /** The wait does not count towards the time limit, because another answer causes the wait, not this one. */
    function waitForTurn(controller: Dispatcher.DispatchController): void {
      hasTurn = true;
      controller.pause();
      cancelLimit();
      const leftMs = began + limitMs - clock.now();
      void turn.begin().then(() => {
        if (isFinished) return;
        cancelLimit = startLimit(leftMs);
        controller.resume();
      });
    }

    function giveUp(problem: BodyProblem): void {
      finishWithoutBody(problem);
      startedRequest?.abort(asError(problem));
    }

    function finishWithoutBody(problem: BodyProblem): void {
      if (head) finish({ ...head, body: problem });
      else finish({ error: asError(problem), mayHaveReachedService: startedRequest !== undefined });
    }

    function finish(result: Reply | NoReply): void {
      if (isFinished) return;
      isFinished = true;
      interrupts.splice(interrupts.indexOf(interrupt), 1);
      cancelLimit();
      resolve(result);
    }
  });
}

function timedOut(limitMs: number): TimeoutOrInterrupt {
  const seconds = Math.round(limitMs / 100) / 10;
  return new TimeoutOrInterrupt(`there was no answer within ${seconds} s`);
}

/** Copies all chunks into one buffer. A list of one-byte chunks would need about a hundred times as much memory. */
function createByteCollector() {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add(chunk: Buffer): void {
      const needed = length + chunk.length;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, 2 * length));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      chunk.copy(buffer, length);
      length = needed;
    },
    length: () => length,
    bytes: (): Buffer => buffer.subarray(0, length),
  };
}

const asError = (problem: BodyProblem): Error => (problem instanceof Error ? problem : new Error(problem));

export function headerOf({ headers }: Head, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export const isSuccess = ({ status }: Head): boolean => status >= 200 && status < 300;
export const encodingOf = (head: Head): string => headerOf(head, 'content-encoding') ?? 'identity';

const largestBody = 64 * 1024 * 1024;
export const largestErrorBody = 1024 * 1024;

function bodyProblem(request: HttpRequest, head: Head): BodyProblem | undefined {
  const { status } = head;
  if (status >= 300 && status < 400) return 'redirect';
  const isBodyIgnored = status === 204 || (isSuccess(head) && ignoresBody(request));
  const isCompressed = encodingOf(head).toLowerCase() !== 'identity';
  return isCompressed && !isBodyIgnored ? 'compressed' : undefined;
}

export const ignoresBody = ({ method, isRaw }: HttpRequest): boolean =>
  method === 'HEAD' || (method === 'DELETE' && !isRaw);
