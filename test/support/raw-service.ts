import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';
import { testToken } from './scripted-service.ts';

export interface RawService {
  port: number;
  connections(): number;
  stopListening(): void;
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
}

export async function rawService(handlers: {
  connected?: (socket: Socket) => void;
  received?: (socket: Socket, text: string) => void;
}): Promise<RawService> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.on('data', (bytes) => handlers.received?.(socket, bytes.toString('latin1')));
    handlers.connected?.(socket);
  });
  const port = await listen(server);
  return {
    port,
    connections: () => connections,
    stopListening: () => void server.close(),
    env: { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: testToken },
  };
}

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
      setTimeout(() => setImmediate(decided, false), 300);
    });
  }
  return { env: { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: testToken } };
}
