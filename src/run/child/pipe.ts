// The way back to vals. When vals is gone, so is the val.
import { Socket } from 'node:net';
import { bytesFrame, frameReader, messageFrame, type Order, pipeNumber, type Report } from '../protocol.ts';

/** As much as goes in one piece, so that a long value is never in memory a second time. */
const pieceBytes = 1 << 20;

export interface Pipe {
  /** Resolves when it is on its way. */
  send(report: Report): Promise<void>;
  sendBytes(bytes: Uint8Array): Promise<void>;
  /** Whether waiting for vals keeps the process going. */
  hold(): void;
  release(): void;
}

export function openPipe(onOrder: (order: Order) => void): Pipe {
  const socket = new Socket({ fd: pipeNumber, readable: true, writable: true });
  socket.on('data', frameReader<Order>(onOrder));
  socket.on('error', () => {});
  const end = () => {
    try {
      process.kill(process.pid, 'SIGKILL');
    } catch {
      // Deno does not let it.
      process.exit(1);
    }
  };
  socket.on('close', end);
  let holders = 1;
  const write = (frame: Buffer) =>
    new Promise<void>((done) => socket.write(frame, (error) => (error ? end() : done())));
  return {
    send: (report) => write(messageFrame(report)),
    async sendBytes(bytes) {
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        await write(bytesFrame(bytes.subarray(from, from + pieceBytes)));
      }
    },
    hold() {
      if (holders++ === 0) socket.ref();
    },
    release() {
      if (--holders === 0) socket.unref();
    },
  };
}
