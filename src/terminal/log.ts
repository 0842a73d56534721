// A log on stderr. If nobody reads stderr, lines are dropped, because a full pipe would block the process.
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';

const stderr = 2;
const mostWaitingBytes = 1_048_576;

export interface Log {
  write(text: string): void;
  /** Writes under --quiet, too. */
  always(text: string): void;
  close(): void;
}

export function createLog(stream: NodeJS.WriteStream): Omit<Log, 'always'> {
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
