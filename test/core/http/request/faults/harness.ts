import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { InterruptedError } from '../../../../../src/core/errors.ts';
import type { Clock } from '../../../../../src/core/lib/clock.ts';
import { inProcess } from '../../../../support/in-process.ts';

export const canary = 'canary-7Qx3kP9wZt';

const tickMs = 4;
const stepMs = 400;

/** Client and server share `time`, so that an answer is not late if the event loop stalls. */
const time = { now: 0, timers: new Set<{ due: number; callback: () => void }>() };

function tick(): void {
  time.now += stepMs;
  for (const timer of [...time.timers]) {
    if (timer.due > time.now || !time.timers.delete(timer)) continue;
    timer.callback();
  }
}

export interface FastClock extends Clock {
  elapsed(): number;
}

export function fastClock(): FastClock {
  const start = time.now;
  const base = Date.now();
  let firstWait: number | undefined;
  return {
    now: () => base + time.now - start,
    elapsed: () => time.now - (firstWait ?? time.now),
    after(ms, callback) {
      firstWait ??= time.now;
      const timer = { due: time.now + ms, callback };
      time.timers.add(timer);
      return () => void time.timers.delete(timer);
    },
  };
}

const folder = join(tmpdir(), `vals-faults-${randomUUID()}`);
const keptFiles = new Map<string, string>();

export function keptFile(name: string, text: string): string {
  const path = join(folder, name);
  keptFiles.set(path, text);
  return path;
}

/** Each file of tests that needs the fast clock calls this function, because files share a process and this module. */
export function runFastClock(): void {
  let ticking: NodeJS.Timeout;
  beforeAll(() => {
    ticking = setInterval(tick, tickMs);
  });
  afterAll(() => {
    clearInterval(ticking);
    time.timers.clear();
  });
}

export function prepareFaults(): void {
  runFastClock();
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    for (const [path, text] of keptFiles) writeFileSync(path, text);
    await loadProgram();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

/** The first `invoke` loads the code of the program, which on a busy machine takes too long for the fast clock. */
async function loadProgram(): Promise<void> {
  const clock = fastClock();
  const server = await rawServer(clock, { asked: (socket) => socket.write(response(200, '{}')) });
  for (const terminal of [false, true]) {
    await invoke(['me'], { baseUrl: server.baseUrl, clock, terminal, patienceMs: Infinity });
  }
  await server.close();
}

export interface Invocation {
  exit: number | string;
  stdout: string;
  stderr: string;
}

export interface InvokeOptions {
  baseUrl: string;
  clock: FastClock;
  terminal: boolean;
  input?: string;
  patienceMs: number;
}

export async function invoke(args: readonly string[], options: InvokeOptions): Promise<Invocation> {
  const { clock, terminal, input } = options;
  const controller = new AbortController();
  let heard = { stdout: '', stderr: '' };
  const ended = inProcess(args, {
    env: {
      HOME: folder,
      VALS_CONFIG_DIR: join(folder, 'config'),
      // The system gives a port to several servers, one after the other. With one folder for all, a push would know the
      // version of the val from an earlier server on the same port.
      VALS_DATA_DIR: mkdtempSync(join(folder, 'data-')),
      VALS_BASE_URL: options.baseUrl,
      VALS_TOKEN: canary,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    },
    cwd: folder,
    ...(terminal && { terminal: { columns: 100 } }),
    input,
    signal: controller.signal,
    clock,
    heard(output) {
      heard = output;
    },
  }).then(
    ({ exit }) => exit,
    (error: unknown) => `threw ${error}`,
  );
  let stopWaiting = () => {};
  const hung = new Promise<string>((resolve) => {
    stopWaiting = fastClock().after(options.patienceMs, () => resolve('hung'));
  });
  const exit = await Promise.race([ended, hung]);
  stopWaiting();
  if (exit === 'hung') controller.abort(new InterruptedError(130));
  return { exit, ...heard };
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
  let connections = 0;
  let begun = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let received = '';
    socket.on('data', (bytes) => {
      if (received === '') handlers.begun?.(socket, begun++);
      received += bytes.toString('latin1');
      for (;;) {
        const end = endOfRequest(received);
        if (end === undefined) return;
        const text = received.slice(0, end);
        received = received.slice(end);
        const request = readRequest(text, clock.now());
        requests.push(request);
        handlers.asked?.(socket, requests.length - 1, request);
        if (received === '') return;
        handlers.begun?.(socket, begun++);
      }
    });
    handlers.accepted?.(socket, connections++);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening);
  });
  const address = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
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
