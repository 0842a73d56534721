// The pipe, read and written at once: loading sockets for it would take a tenth of a short run.
import { readSync, writeSync } from 'node:fs';
import { frameReader, messageFrame, type Order, pipeNumber } from '../protocol.ts';
import { end, type Ways } from './pipe.ts';

export function openNodePipe(): Ways {
  const orders: Order[] = [];
  const take = frameReader<Order>((order) => orders.push(order));
  const piece = Buffer.allocUnsafe(65_536);

  function write(frame: Buffer): void {
    for (let from = 0; from < frame.length; ) from += unlessGone(() => writeSync(pipeNumber, frame, from));
  }

  function next(): Order {
    for (;;) {
      const order = orders.shift();
      if (order !== undefined) return order;
      const count = unlessGone(() => readSync(pipeNumber, piece));
      take(Buffer.from(piece.subarray(0, count)));
    }
  }

  const first = next();
  return {
    start: 'start' in first ? Promise.resolve(first.start) : Promise.reject(new Error('No start.')),
    ask(specifier, from) {
      write(messageFrame({ load: { specifier, from } }));
      const order = next();
      if ('module' in order) return order.module;
      throw new Error('No module.');
    },
    async write(frame) {
      write(frame);
    },
  };
}

function unlessGone(act: () => number): number {
  let count = 0;
  try {
    count = act();
  } catch {
    // Closed by the val, or by the end of vals.
  }
  if (count === 0) end();
  return count;
}
