// A log on stderr that drops lines if nobody reads them, and never blocks the program.
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';

const stderr = 2;
const mostWaitingBytes = 1_048_576;

export interface Log {
  write(text: string): void;
  /** Drops lines that are still waiting. */
  close(): void;
}

/** Node writes to a pipe synchronously: a full pipe would block the process. */
export function createLog(stream: NodeJS.WriteStream): Log {
  const stats = fstatSync(stderr);
  if (!stats.isFIFO() && !stats.isSocket()) return { write: (text) => stream.write(text), close: () => {} };
  const pipe = new Socket({ fd: stderr, readable: false, writable: true }).unref();
  pipe.on('error', () => {});
  return {
    write(text) {
      if (pipe.writableLength < mostWaitingBytes) pipe.write(text);
    },
    close() {
      if (pipe.writableLength > 0) pipe.destroy();
    },
  };
}
