import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { RunFailedError, type ValsError } from '../errors.ts';
import { endingFailure, thrownFailure, tookTooLong } from './failed-run.ts';
import { createLogs, type Logs } from './logs.ts';
import type { Entry, Modules } from './modules.ts';
import { type ProcessOptions, startProcess } from './process.ts';
import type { Thrown, ValEvent } from './protocol.ts';

export interface ServingOptions extends Omit<ProcessOptions, 'command'> {
  maxSeconds: number;
  /** Prepares the modules and the command for a process that serves this code. */
  prepare(entry: Entry): { modules: Modules; command: ProcessOptions['command'] };
  /** Resolves when a save that was before this call has led to `reload`. */
  isUpToDate(): Promise<void>;
  onFinished(answered: Answered): void;
  onFailure(failure: ValsError): void;
}

interface Answered {
  method: string;
  path: string;
  status: number;
  startedAt: number;
  endedAt: number;
  failure: ValsError | undefined;
  entry: Entry;
  logs: string;
}

interface Connection {
  socket: Socket;
  /** The request that the val's process has read from the connection, but not yet answered. */
  request?: number | undefined;
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

export interface Serving {
  entry: Entry;
  accept(connection: number, socket: Socket): void;
  isUsable(): boolean;
  /** Lets the requests under way finish. Resolves when the process has ended. */
  retire(): Promise<unknown>;
  end(signal: NodeJS.Signals): Promise<unknown>;
}

/**
 * Starts a process that answers requests with the code of `entry`. The function is long, because it is one state machine:
 * each event changes the state, the connections and the requests together.
 */
export function startServing(
  entry: Entry,
  options: ServingOptions,
  /** Called with the connections on which nothing was under way when this process ended. */
  assignAgain: (sockets: readonly Socket[]) => void,
): Serving {
  const { clock, maxSeconds, onFinished, onFailure } = options;
  const { modules, command } = options.prepare(entry);
  const connections = new Map<number, Connection>();
  const requests = new Map<number, OpenRequest>();
  let state: 'starting' | 'ready' | 'retired' | 'broken' = 'starting';
  let failure: ValsError | undefined;

  const child = startProcess(
    { ...options, command, takesConnections: true },
    {
      modules,
      onEvent: note,
      onValue() {},
      onLog(bytes) {
        for (const { logs } of requests.values()) logs.add(bytes);
      },
    },
  );
  const cancelStart = clock.after(maxSeconds * 1_000, () => {
    failure = tookTooLong(entry.name, maxSeconds);
    child.end();
  });
  void child.ended.then((ending) => {
    cancelStart();
    const reason = failure ?? endingFailure(entry.name, ending);
    failure = reason;
    if (state === 'starting') {
      state = 'broken';
      onFailure(reason);
    } else state = 'retired';
    for (const [number, request] of requests) fail(number, request, reason);
    const open = [...connections.values()];
    connections.clear();
    const idle = open.filter(({ request }) => request === undefined).map(({ socket }) => socket);
    for (const { socket, request } of open) {
      if (request !== undefined) respond(socket, 500, reason.message);
    }
    if (state === 'broken') idle.forEach(explainFailure);
    else assignAgain(idle);
  });

  const explain = (thrown: Thrown) => thrownFailure(entry.name, thrown, modules, { isServing: true });

  function note(event: ValEvent): void {
    switch (event.kind) {
      case 'ready':
        cancelStart();
        if (state === 'starting') state = 'ready';
        for (const [connection, { socket }] of connections)
          child.send({ kind: 'connection', connection }, socket);
        return;
      case 'closed':
        connections.get(event.connection)?.socket.destroy();
        connections.delete(event.connection);
        return;
      case 'arrived':
        noteArrival(event.connection, event.request);
        void options.isUpToDate().then(() => {
          child.send({ kind: 'arrived', request: event.request, isCurrent: state !== 'retired' });
        });
        return;
      case 'request': {
        const { request, connection, method, path } = event;
        const cancelLimit = clock.after(maxSeconds * 1_000, () => tooSlow(request));
        const logs = createLogs();
        requests.set(request, { connection, method, path, startedAt: clock.now(), logs, cancelLimit });
        return;
      }
      case 'answering': {
        const request = requests.get(event.request);
        request?.cancelLimit();
        if (request !== undefined) request.status = event.status;
        return;
      }
      case 'failed': {
        const request = event.request === undefined ? undefined : requests.get(event.request);
        if (request === undefined) failure = explain(event.thrown);
        else request.failure = explain(event.thrown);
        return;
      }
      case 'answered':
        finish(event.request);
        return;
      case 'idle':
        child.end();
    }
  }

  function noteArrival(connection: number, request: number | undefined): void {
    const known = connections.get(connection);
    if (known !== undefined) known.request = request;
  }

  function tooSlow(number: number): void {
    const request = requests.get(number);
    if (request === undefined) return;
    failure = tookTooLong(entry.name, maxSeconds);
    fail(number, request, failure, 504);
    state = 'retired';
    child.end();
  }

  function fail(number: number, request: OpenRequest, reason: ValsError, status = 500): void {
    request.cancelLimit();
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

  function finish(number: number): void {
    const request = requests.get(number);
    if (request === undefined) return;
    requests.delete(number);
    request.cancelLimit();
    noteArrival(request.connection, undefined);
    const { method, path, status = 499, startedAt, failure, logs } = request;
    onFinished({ method, path, status, startedAt, endedAt: clock.now(), failure, entry, logs: logs.text() });
  }

  /** Answers in the place of a val that could not be started. */
  const explaining = createServer(({ method = 'GET', url: path = '/' }, outgoing) => {
    const startedAt = clock.now();
    outgoing.writeHead(500, { ...readableByPages, connection: 'close' });
    outgoing.end(`${failure?.message}\n`);
    onFinished({ method, path, status: 500, startedAt, endedAt: clock.now(), failure, entry, logs: '' });
  });

  function explainFailure(socket: Socket): void {
    explaining.emit('connection', socket);
    socket.resume();
  }

  return {
    entry,
    isUsable: () => state !== 'retired',
    accept(connection, socket) {
      if (state === 'broken') return explainFailure(socket);
      connections.set(connection, { socket });
      if (state === 'ready') child.send({ kind: 'connection', connection }, socket);
    },
    retire() {
      if (state === 'ready') child.send({ kind: 'retire' });
      else child.end();
      state = 'retired';
      return child.ended;
    },
    end(signal) {
      if (requests.size > 0) failure = new RunFailedError(`${entry.name} was interrupted.`);
      state = 'retired';
      child.end(signal);
      return child.ended;
    },
  };
}

/** Otherwise a page of another origin could not show what went wrong. */
const readableByPages = { 'content-type': 'text/plain; charset=utf-8', 'access-control-allow-origin': '*' };
const reasons: Record<number, string> = { 500: 'Internal Server Error', 504: 'Gateway Timeout' };

/** Answers on a connection whose process cannot do it any more. */
function respond(socket: Socket, status: number, message: string): void {
  const body = Buffer.from(`${message}\n`);
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    ...Object.entries(readableByPages).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  // What the caller still sends is read and dropped. Otherwise the system would reset the connection.
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}
