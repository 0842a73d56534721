import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { InterruptedError } from '../../../../../src/core/errors.ts';
import type { Clock } from '../../../../../src/core/lib/waiting.ts';
import { type FastClock, fastClock, runFastClock, stepMs } from '../../../../support/fast-clock.ts';
import { inProcess, type Output } from '../../../../support/in-process.ts';
import { folderOf } from '../../../../support/program.ts';

export const canary = 'canary-7Qx3kP9wZt';

let folder = '';
let invocations = 0;

/** The commands find the files in their working directory. */
export function prepareFaults(files: Record<string, string>): void {
  folder = folderOf(files);
  runFastClock();
  // The first runs load the code of the program, which on a busy machine takes too long for the fast clock.
  beforeAll(async () => {
    const clock = fastClock();
    const server = await rawServer(clock, { asked: (socket) => socket.write(response(200, '{}')) });
    for (const terminal of [false, true]) {
      await invoke(['me'], { ...server, clock, terminal, patienceMs: Infinity });
    }
    await server.close();
  });
}

export interface InvokeOptions {
  baseUrl: string;
  clock: FastClock;
  terminal: boolean;
  input?: string;
  /** Then a command that still runs is interrupted, which is none of the exit codes that a test expects. */
  patienceMs: number;
}

export async function invoke(
  args: readonly string[],
  { baseUrl, clock, terminal, input, patienceMs }: InvokeOptions,
): Promise<Output> {
  const controller = new AbortController();
  let stopWaiting: (() => void) | undefined;
  /** Its patience begins with the first wait: before, the program reads files and checks their syntax, which takes its time. */
  const waiting: Clock = {
    ...clock,
    after(ms, callback) {
      stopWaiting ??= clock.after(patienceMs, () => controller.abort(new InterruptedError(130)));
      return clock.after(ms, callback);
    },
  };
  const output = await inProcess(args, {
    env: {
      HOME: folder,
      // The system gives a port to several servers, one after the other. With one folder for all, a push would know the
      // version of the val from an earlier server on the same port.
      VALS_DATA_DIR: join(folder, `data-${invocations++}`),
      VALS_BASE_URL: baseUrl,
      VALS_TOKEN: canary,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    },
    cwd: folder,
    ...(terminal && { terminal: { columns: 100 } }),
    input,
    signal: controller.signal,
    clock: waiting,
  });
  stopWaiting?.();
  return output;
}

export interface Asked {
  method: string;
  path: string;
  bytes: string;
  body: string;
  at: number;
}

export interface Handlers {
  accepted?(socket: Socket, count: number): void;
  begun?(socket: Socket, count: number): void;
  asked?(socket: Socket, count: number, request: Asked): void;
}

export interface RawServer {
  baseUrl: string;
  connections(): number;
  begun(): number;
  requests: readonly Asked[];
  close(): Promise<void>;
}

export async function rawServer(clock: Clock, handlers: Handlers): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: Asked[] = [];
  let [connections, begun] = [0, 0];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let received = '';
    socket.on('data', (bytes) => {
      if (received === '') handlers.begun?.(socket, begun++);
      received += bytes.toString('latin1');
      const end = endOfRequest(received);
      if (end === undefined) return;
      const request = readRequest(received.slice(0, end), clock.now());
      received = received.slice(end);
      requests.push(request);
      handlers.asked?.(socket, requests.length - 1, request);
    });
    handlers.accepted?.(socket, connections++);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    begun: () => begun,
    requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function endOfRequest(received: string): number | undefined {
  const head = received.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = Number(/^content-length: *(\d+)/im.exec(received.slice(0, head))?.[1] ?? 0);
  const end = head + 4 + length;
  return received.length >= end ? end : undefined;
}

function readRequest(bytes: string, at: number): Asked {
  const [method = '', path = ''] = bytes.split(' ', 2);
  return { method, path, bytes, body: bytes.slice(bytes.indexOf('\r\n\r\n') + 4), at };
}

export function response(
  status: number,
  body = '',
  headers: readonly string[] = [],
  reason = 'Reason',
): string {
  const head = [`HTTP/1.1 ${status} ${reason}`, 'content-type: application/json', ...headers];
  if (status !== 204) head.push(`content-length: ${Buffer.byteLength(body, 'latin1')}`);
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

export const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('latin1');

export type Ending = 'FIN' | 'RST';

/** Waits before `resetAndDestroy`, because the reset would otherwise overtake the text. */
export function sendAndEnd(socket: Socket, text: string, ending: Ending, clock: Clock): void {
  if (ending === 'FIN') socket.end(text, 'latin1');
  else if (text === '') socket.resetAndDestroy();
  else socket.write(text, 'latin1', () => clock.after(2 * stepMs, () => socket.resetAndDestroy()));
}
