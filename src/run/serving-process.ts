import type { Socket } from 'node:net';
import { RunFailedError, type ValsError } from '../errors.ts';
import { endingFailure, thrownFailure, tookTooLong } from './failed-run.ts';
import { createFailureServer, respond } from './failure-response.ts';
import type { Entry, Modules } from './modules.ts';
import { type AnsweredRequest, createOpenRequests, type ValConnection } from './open-requests.ts';
import { type ProcessOptions, startProcess } from './process.ts';
import type { ValEvent } from './protocol.ts';

export interface ServingOptions extends Omit<ProcessOptions, 'command'> {
  maxSeconds: number;
  /** Prepares the modules and the command for a process that serves this code. */
  prepare(entry: Entry): { modules: Modules; command: ProcessOptions['command'] };
  /** Resolves when a save that was before this call has led to `reload`. */
  isUpToDate(): Promise<void>;
  onFinished(answered: Answered): void;
  onFailure(failure: ValsError): void;
}

interface Answered extends AnsweredRequest {
  entry: Entry;
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
  const { clock, maxSeconds, onFailure } = options;
  const { modules, command } = options.prepare(entry);
  const connections = new Map<number, ValConnection>();
  let state: 'starting' | 'ready' | 'retired' = 'starting';
  /** Why the process ends, or why it has ended. */
  let failure: ValsError | undefined;
  /** Answers if the val could not be started. */
  let failureServer: ReturnType<typeof createFailureServer> | undefined;

  const onFinished = (request: AnsweredRequest) => options.onFinished({ ...request, entry });
  const requests = createOpenRequests({
    ...{ clock, maxSeconds, connections, onFinished },
    onTooSlow(request) {
      failure = tookTooLong(entry.name, maxSeconds);
      requests.fail(request, failure, 504);
      state = 'retired';
      child.end();
    },
  });
  const child = startProcess(
    { ...options, command, takesConnections: true },
    { modules, onEvent: note, onValue() {}, onLog: requests.addLog },
  );
  const cancelStart = clock.after(maxSeconds * 1_000, () => {
    failure = tookTooLong(entry.name, maxSeconds);
    child.end();
  });
  void child.ended.then((ending) => {
    cancelStart();
    const reason = failure ?? endingFailure(entry.name, ending);
    if (state === 'starting') {
      onFailure(reason);
      failureServer = createFailureServer(reason.message, (method, path) => {
        const now = clock.now();
        onFinished({ method, path, status: 500, startedAt: now, endedAt: now, failure: reason, logs: '' });
      });
    } else state = 'retired';
    requests.failAll(reason);
    const idle = closeBusyConnections(connections, reason);
    if (failureServer) idle.forEach(failureServer.accept);
    else assignAgain(idle);
  });

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
      case 'arrived': {
        const connection = connections.get(event.connection);
        if (connection !== undefined) connection.request = event.request;
        void options.isUpToDate().then(() => {
          child.send({ kind: 'arrived', request: event.request, isCurrent: state !== 'retired' });
        });
        return;
      }
      case 'request':
        requests.add(event);
        return;
      case 'answering':
        requests.answering(event.request, event.status);
        return;
      case 'failed': {
        const thrown = thrownFailure(entry.name, event.thrown, modules, { isServing: true });
        const request = event.request === undefined ? undefined : requests.find(event.request);
        if (request === undefined) failure = thrown;
        else request.failure = thrown;
        return;
      }
      case 'answered':
        requests.finish(event.request);
        return;
      case 'idle':
        child.end();
    }
  }

  return {
    entry,
    isUsable: () => state !== 'retired',
    accept(connection, socket) {
      if (failureServer) return failureServer.accept(socket);
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
      if (!requests.isEmpty()) failure = new RunFailedError(`${entry.name} was interrupted.`);
      state = 'retired';
      child.end(signal);
      return child.ended;
    },
  };
}

/** Answers each request that had arrived with a 500, and returns the sockets without a request. */
function closeBusyConnections(connections: Map<number, ValConnection>, reason: ValsError): Socket[] {
  const idle: Socket[] = [];
  for (const { socket, request } of connections.values()) {
    if (request === undefined) idle.push(socket);
    else respond(socket, 500, reason.message);
  }
  connections.clear();
  return idle;
}
