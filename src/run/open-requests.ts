import type { Socket } from 'node:net';
import type { ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { respond } from './failure-response.ts';
import { createLogs, type Logs } from './logs.ts';
import type { ValEvent } from './protocol.ts';

export interface ValConnection {
  socket: Socket;
  /** The request that the val's process has read from the connection, but not yet answered. */
  request?: number | undefined;
}

export interface AnsweredRequest {
  method: string;
  path: string;
  status: number;
  startedAt: number;
  endedAt: number;
  failure: ValsError | undefined;
  logs: string;
}

interface OpenRequest {
  connection: number;
  method: string;
  path: string;
  startedAt: number;
  logs: Logs;
  status?: number;
  failure?: ValsError;
  cancelLimit(): void;
}

interface OpenRequestsOptions {
  clock: Clock;
  maxSeconds: number;
  /** The connections of the process. A request that fails closes its own. */
  connections: Map<number, ValConnection>;
  /** Called if no answer has begun within `maxSeconds`. */
  onTooSlow(request: number): void;
  onFinished(request: AnsweredRequest): void;
}

/** The requests that a val's process has begun to answer. */
export function createOpenRequests({
  clock,
  maxSeconds,
  connections,
  onTooSlow,
  onFinished,
}: OpenRequestsOptions) {
  const requests = new Map<number, OpenRequest>();

  function finish(number: number): void {
    const request = requests.get(number);
    if (request === undefined) return;
    requests.delete(number);
    request.cancelLimit();
    const connection = connections.get(request.connection);
    if (connection !== undefined) connection.request = undefined;
    const { method, path, status = 499, startedAt, failure, logs } = request;
    onFinished({ method, path, status, startedAt, endedAt: clock.now(), failure, logs: logs.text() });
  }

  /** Answers with the status, unless an answer has begun. */
  function fail(number: number, reason: ValsError, status: number): void {
    const request = requests.get(number);
    if (request === undefined) return;
    request.failure ??= reason;
    const socket = connections.get(request.connection)?.socket;
    connections.delete(request.connection);
    if (request.status !== undefined) socket?.destroySoon();
    else {
      request.status = status;
      if (socket !== undefined) respond(socket, status, reason.message);
    }
    finish(number);
  }

  return {
    isEmpty: (): boolean => requests.size === 0,
    add({ request, connection, method, path }: Extract<ValEvent, { kind: 'request' }>): void {
      const cancelLimit = clock.after(maxSeconds * 1_000, () => onTooSlow(request));
      requests.set(request, {
        ...{ connection, method, path, cancelLimit },
        startedAt: clock.now(),
        logs: createLogs(),
      });
    },
    answering(number: number, status: number): void {
      const request = requests.get(number);
      if (request === undefined) return;
      request.cancelLimit();
      request.status = status;
    },
    find: (number: number): Pick<OpenRequest, 'failure'> | undefined => requests.get(number),
    addLog(bytes: Parameters<Logs['add']>[0]): void {
      for (const { logs } of requests.values()) logs.add(bytes);
    },
    fail,
    failAll(reason: ValsError): void {
      for (const number of requests.keys()) fail(number, reason, 500);
    },
    finish,
  };
}
