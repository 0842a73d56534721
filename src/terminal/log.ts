// Lines for a person who watches. A reader that stopped reading misses some, and does not hold up the program.
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';

const stderr = 2;
const mostWaitingBytes = 1_048_576;

export interface Log {
  write(text: string): void;
  /** What is still waiting then is given up. */
  close(): void;
}

/** Node writes to a pipe until it is through; a full one that is not read would stop the whole process. */
export function createLog(stream: NodeJS.WriteStream): Log {
  const stats = fstatSync(stderr);
  if (!stats.isFIFO() && !stats.isSocket()) return { write: (text) => stream.write(text), close: () => {} };
  const pipe = new Socket({ fd: stderr, readable: false, writable: true }).unref();
  pipe.on('error', () => {});
  return {
    write: (text) => pipe.writableLength < mostWaitingBytes && pipe.write(text),
    close: () => pipe.writableLength > 0 && pipe.destroy(),
  };
}
