import { closeSync, readSync, writeSync } from 'node:fs';
import {
  channels,
  frame,
  frameReader,
  type ModuleReply,
  type ModuleRequest,
  type ValEvent,
} from '../protocol.ts';

export const sendEvent = (event: ValEvent): void => write(channels.events, frame(event));

export const sendLog = (bytes: Uint8Array): void => write(channels.log, bytes);

export const sendValueBytes = (bytes: Uint8Array): void => write(channels.value, bytes);

export const endValue = (): void => closeSync(channels.value);

export const sendRequest = (request: ModuleRequest): void => write(channels.modules, frame(request));

export function readModuleReply(): ModuleReply {
  let reply: ModuleReply | undefined;
  const read = frameReader<ModuleReply>((message) => {
    reply = message;
  });
  const piece = Buffer.allocUnsafe(65_536);
  while (reply === undefined) {
    const count = readSync(channels.modules, piece);
    if (count === 0) throw new Error('vals has ended.');
    read(Buffer.from(piece.subarray(0, count)));
  }
  return reply;
}

function write(channel: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(channel, bytes, from);
}
