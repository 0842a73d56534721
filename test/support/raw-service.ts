// Services below HTTP: what a connection can do to a client that no well-behaved server does.
import { spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { testToken } from './scripted-service.ts';

export interface RawService {
  port: number;
  /** How many connections were made so far. */
  connections(): number;
  /** No longer listens; a connection from now on is refused. */
  stopListening(): void;
  /** What every command needs to talk to it. */
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
}

/** Does with each connection, and each piece of what it brings, what it was told to. */
export async function rawService(handlers: {
  connected?: (socket: Socket) => void;
  received?: (socket: Socket, text: string) => void;
}): Promise<RawService> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => handlers.received?.(socket, bytes.toString('latin1')));
    handlers.connected?.(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    connections: () => connections,
    stopListening: () => void server.close(),
    env: { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: testToken },
  };
}

/** Listens and never accepts, with a full queue: a further connection hangs before it is made. */
export async function fullService(): Promise<Pick<RawService, 'env'>> {
  const idle = `
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', idle], { stdio: ['ignore', 'pipe', 'inherit'] });
  const inQueue: Socket[] = [];
  onTestFinished(() => {
    for (const socket of inQueue) socket.destroy();
    child.kill('SIGKILL');
  });
  const port = await new Promise<number>((known) => child.stdout.once('data', (text) => known(Number(text))));
  let connected = true;
  while (connected) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    inQueue.push(socket);
    connected = await new Promise<boolean>((decided) => {
      socket.once('connect', () => decided(true));
      // One that was made while we were held up is heard of before this.
      setTimeout(() => setImmediate(decided, false), 300);
    });
  }
  return { env: { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: testToken } };
}
