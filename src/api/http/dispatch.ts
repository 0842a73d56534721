import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';

export interface HttpRequest {
  method: string;
  origin: string;
  pathWithQuery: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** An error, if the body did not arrive as a whole. */
  body: Buffer | Error;
}

export interface NoReply {
  error: Error;
  mayHaveReachedService: boolean;
}

export class TimeoutError extends Error {
  constructor(readonly afterMs: number) {
    super('no reply in time');
  }
}

/** The proxy made no tunnel to the service. */
export class ProxyError extends Error {
  constructor(readonly problem: { status: number } | { cause: Error }) {
    super('the proxy made no tunnel');
  }
}

/** Sends one request on one connection. Calls undici's `dispatch`, which does half as much work as its `request`. */
export function dispatch(
  dispatcher: Dispatcher,
  { method, origin, pathWithQuery, headers, body }: HttpRequest,
  { limitMs, clock, signal }: { limitMs: number; clock: Clock; signal: AbortSignal },
): Promise<HttpReply | NoReply> {
  return new Promise((resolve) => {
    let head: Pick<HttpReply, 'status' | 'headers'> | undefined;
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let isFinished = false;
    const cancelLimit = clock.after(limitMs, () => end(new TimeoutError(limitMs)));
    const interrupt = () => end(new Error('interrupted'));
    signal.addEventListener('abort', interrupt);

    dispatcher.dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        origin,
        path: pathWithQuery,
        headers,
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (isFinished) started.abort(new Error('too late'));
        },
        onResponseStart(_controller, status, headers) {
          const isInterim = status < 200;
          if (!isInterim) head = { status, headers };
        },
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd() {
          if (head) finish({ ...head, body: Buffer.concat(chunks) });
        },
        onResponseError: (_controller, error) => fail(error),
      },
    );

    function end(error: Error): void {
      fail(error);
      controller?.abort(error);
    }

    function fail(error: Error): void {
      if (head) finish({ ...head, body: error });
      else finish({ error, mayHaveReachedService: controller !== undefined });
    }

    function finish(result: HttpReply | NoReply): void {
      isFinished = true;
      cancelLimit();
      signal.removeEventListener('abort', interrupt);
      resolve(result);
    }
  });
}
