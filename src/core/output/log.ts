// A log on stderr. If nobody reads stderr, lines are dropped, because a full pipe would block the process.
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { visible } from '../lib/visible.ts';
import type { Out } from './out.ts';

const stderr = 2;
const mostWaitingBytes = 1_048_576;

export interface Log {
  write(line: string): void;
  writeDespiteQuiet(line: string): void;
  close(): void;
}

interface LogOptions {
  host: { stderr: NodeJS.WriteStream };
  flags: { quiet?: boolean };
  out: Pick<Out, 'redact'>;
}

export function createLog({ host, flags: { quiet }, out: { redact } }: LogOptions): Log {
  const { write, close } = openStderr(host.stderr);
  const writeDespiteQuiet = (line: string) => write(`${visible(redact(line))}\n`);
  return { write: quiet ? () => {} : writeDespiteQuiet, writeDespiteQuiet, close };
}

function isPipe(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isFIFO() || stats.isSocket();
}

function openStderr(stream: NodeJS.WriteStream): { write(text: string): void; close(): void } {
  if (!('fd' in stream) || stream.fd !== stderr || !isPipe(stderr))
    return { write: (text) => stream.write(text), close: () => {} };
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
