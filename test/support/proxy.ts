import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { certificate } from './certificates.ts';
import { rawService } from './raw-service.ts';

interface TestProxy {
  port: number;
  asked: string[];
  connections(): number;
}

export async function tunnellingProxy(service: Server, secure = false): Promise<TestProxy> {
  const asked: string[] = [];
  const accept = (socket: Socket, text: string) => {
    asked.push(text);
    socket.removeAllListeners('data');
    socket.setNoDelay(true);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    service.emit('connection', socket);
  };
  const tls = createTlsServer(certificate('good'), (socket) =>
    socket.on('error', () => {}).on('data', (bytes) => accept(socket, bytes.toString('latin1'))),
  );
  const { port, connections } = await rawService(
    secure
      ? {
          connected(socket) {
            socket.removeAllListeners('data');
            tls.emit('connection', socket);
          },
        }
      : { received: accept },
  );
  onTestFinished(() => void service.close());
  return { port, asked, connections };
}
