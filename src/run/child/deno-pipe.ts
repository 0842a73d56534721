// The pipe as Deno has it, which reads none by its number alone. It loads modules by itself, so nothing is asked for.
import { Socket } from 'node:net';
import { frameReader, type Order, pipeNumber, type Start } from '../protocol.ts';
import { end, type Ways } from './pipe.ts';

export function openDenoPipe(): Ways {
  const socket = new Socket({ fd: pipeNumber, readable: true, writable: true });
  socket.on('close', end);
  socket.on('error', end);
  const start = new Promise<Start>((resolve) => {
    const take = frameReader<Order>((order) => {
      socket.unref();
      if ('start' in order) resolve(order.start);
    });
    socket.on('data', take);
  });
  return {
    start,
    ask() {
      throw new Error('Deno loads modules by itself.');
    },
    write: (frame) => new Promise((done) => socket.write(frame, () => done())),
  };
}
