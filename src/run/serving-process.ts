import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { ValsError } from '../errors.ts';
import { endingFailure, thrownFailure, tookTooLong } from './failed-run.ts';
import { createLogs, type Logs } from './logs.ts';
import type { Entry, Modules } from './modules.ts';
import { type ProcessOptions, startProcess } from './process.ts';
import type { ValEvent } from './protocol.ts';

export interface ServingOptions extends Omit<ProcessOptions, 'command'> {
  maxSeconds: number;
  /** Prepares the modules and the command for a process that serves this code. */
  prepare(entry: Entry): { modules: Modules; command: ProcessOptions['command'] };
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
  /** The val's process has taken the connection. */
  isTaken: boolean;
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
  /** Lets the requests under way finish. */
  retire(): void;
  end(signal: NodeJS.Signals): Promise<unknown>;
}

/** Starts a process that answers requests with the code of `entry`. */
export function startServing(
  entry: Entry,
  options: ServingOptions,
  /** Called with the connections that this process had not yet taken when it ended. */
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
    if (state !== 'retired') failure ??= endingFailure(entry.name, ending);
    if (state === 'starting') {
      state = 'broken';
      if (failure !== undefined) onFailure(failure);
    } else state = 'retired';
    const open = [...connections.values()];
    for (const [number, request] of requests) fail(number, request, failure);
    connections.clear();
    for (const { socket, isTaken } of open) if (isTaken) socket.destroySoon();
    const notTaken = open.filter(({ isTaken }) => !isTaken).map(({ socket }) => socket);
    if (state === 'broken') notTaken.forEach(explainFailure);
    else assignAgain(notTaken);
  });

  function note(event: ValEvent): void {
    switch (event.kind) {
      case 'ready':
        cancelStart();
        if (state === 'starting') state = 'ready';
        for (const [connection, { socket }] of connections)
          child.send({ kind: 'connection', connection }, socket);
        return;
      case 'connected': {
        const connection = connections.get(event.connection);
        if (connection !== undefined) connection.isTaken = true;
        return;
      }
      case 'closed':
        connections.get(event.connection)?.socket.destroy();
        connections.delete(event.connection);
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
        if (request === undefined) failure = thrownFailure(entry.name, event.thrown, modules);
        else request.failure = thrownFailure(entry.name, event.thrown, modules);
        return;
      }
      case 'answered':
        finish(event.request);
        return;
      case 'idle':
        child.end();
    }
  }

  function tooSlow(number: number): void {
    const request = requests.get(number);
    if (request === undefined) return;
    failure = tookTooLong(entry.name, maxSeconds);
    fail(number, request, failure, 504);
    state = 'retired';
    child.end();
  }

  function fail(number: number, request: OpenRequest, reason: ValsError | undefined, status = 500): void {
    request.cancelLimit();
    request.failure ??= reason;
    if (request.status === undefined) {
      request.status = status;
      const connection = connections.get(request.connection);
      if (connection !== undefined) respond(connection.socket, status, reason?.message ?? '');
    }
    finish(number);
  }

  function finish(number: number): void {
    const request = requests.get(number);
    if (request === undefined) return;
    requests.delete(number);
    request.cancelLimit();
    const { method, path, status = 499, startedAt, failure, logs } = request;
    onFinished({ method, path, status, startedAt, endedAt: clock.now(), failure, entry, logs: logs.text() });
  }

  /** Answers in the place of a val that could not be started. */
  const explaining = createServer(({ method = 'GET', url = '/' }, outgoing) => {
    const startedAt = clock.now();
    outgoing.writeHead(500, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    outgoing.end(`${failure?.message}\n`);
    const path = url.replace(/[?#].*$/s, '');
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
      connections.set(connection, { socket, isTaken: false });
      if (state === 'ready') child.send({ kind: 'connection', connection }, socket);
    },
    retire() {
      if (state === 'ready') child.send({ kind: 'retire' });
      else child.end();
      state = 'retired';
    },
    end(signal) {
      state = 'retired';
      child.end(signal);
      return child.ended;
    },
  };
}

const reasons: Record<number, string> = { 500: 'Internal Server Error', 504: 'Gateway Timeout' };

/** Answers on a connection whose process cannot do it any more. */
function respond(socket: Socket, status: number, message: string): void {
  const body = Buffer.from(`${message}\n`);
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  // What the caller still sends is read and dropped. Otherwise the system would reset the connection.
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}
