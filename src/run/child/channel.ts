import { readSync, writeSync } from 'node:fs';
import {
  channels,
  type FrameKind,
  frame,
  frameReader,
  type ModuleReply,
  type ModuleRequest,
  messageFrame,
  type ValEvent,
} from '../protocol.ts';

/** Pieces of this size keep the memory of both processes small. */
const pieceBytes = 1 << 20;

export const sendEvent = (event: ValEvent): void => write(channels.events, messageFrame(event));

export function sendBytes(kind: FrameKind, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    write(channels.events, frame(kind, bytes.subarray(from, from + pieceBytes)));
  }
}

export const sendRequest = (request: ModuleRequest): void => write(channels.modules, messageFrame(request));

export function readModuleReply(): ModuleReply {
  let reply: ModuleReply | undefined;
  const read = frameReader((_kind, payload) => {
    reply = JSON.parse(payload.toString());
  });
  const piece = Buffer.allocUnsafe(65_536);
  while (reply === undefined) {
    const count = readSync(channels.modules, piece);
    if (count === 0) throw new Error('vals has ended.');
    read(Buffer.from(piece.subarray(0, count)));
  }
  return reply;
}

function write(channel: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(channel, bytes, from);
}
