import { createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';
import { testToken } from './scripted-service.ts';

export interface RawService {
  port: number;
  connections(): number;
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
    env: { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: testToken },
  };
}
