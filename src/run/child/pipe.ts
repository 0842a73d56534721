import fs from 'node:fs';
import {
  bytesFrame,
  type ModuleAnswer,
  messageFrame,
  type Order,
  orderReader,
  pipeDescriptor,
  type Report,
  type Start,
} from '../protocol.ts';

// Loading Node's sockets would make a short run a tenth slower, so the child uses readSync and writeSync. The constants
// keep the original functions, because the val or a package could replace the properties of `fs`.
const { readSync, writeSync } = fs;

export interface Pipe {
  start: Start;
  ask(specifier: string, from: string): ModuleAnswer;
  send(report: Report): void;
  sendBytes(bytes: Uint8Array): void;
}

const pieceBytes = 1 << 20;

export function openPipe(): Pipe {
  const orders: Order[] = [];
  const take = orderReader((order) => orders.push(order));
  const piece = Buffer.allocUnsafe(65_536);

  function write(frame: Buffer): void {
    for (let from = 0; from < frame.length; )
      from += orEndProcess(() => writeSync(pipeDescriptor, frame, from));
  }

  function next(): Order {
    for (;;) {
      const order = orders.shift();
      if (order !== undefined) return order;
      const count = orEndProcess(() => readSync(pipeDescriptor, piece));
      take(Buffer.from(piece.subarray(0, count)));
    }
  }

  const first = next();
  if (!('start' in first)) throw new Error('vals sent another message before the start message.');
  return {
    start: first.start,
    ask(specifier, from) {
      write(messageFrame({ load: { specifier, from } }));
      const order = next();
      if ('module' in order) return order.module;
      throw new Error('vals answered an import with a message that is not a module.');
    },
    send: (report) => write(messageFrame(report)),
    sendBytes(bytes) {
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        write(bytesFrame(bytes.subarray(from, from + pieceBytes)));
      }
    },
  };
}

function orEndProcess(readOrWrite: () => number): number {
  let count = 0;
  try {
    count = readOrWrite();
  } catch {}
  if (count === 0) end();
  return count;
}

/** SIGKILL skips the clean-up of `process.exit`, which would take longer than most runs. */
export function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
