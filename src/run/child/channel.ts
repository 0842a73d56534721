import { closeSync, readSync, writeSync } from 'node:fs';
import { channels, lineReader, type ValEvent } from '../protocol.ts';

export const sendEvent = (event: ValEvent): void =>
  write(channels.events, Buffer.from(`${JSON.stringify(event)}\n`));

export const sendLog = (bytes: Uint8Array): void => write(channels.log, bytes);

export const sendValueBytes = (bytes: Uint8Array): void => write(channels.value, bytes);

export const endValue = (): void => closeSync(channels.value);

/** Waits until vals has followed the imports of the val. The text is a ModuleMap as JSON. */
export function readModuleMap(): string {
  let map: string | undefined;
  const read = lineReader((line) => {
    map = line;
  });
  const piece = Buffer.allocUnsafe(1 << 18);
  while (map === undefined) {
    const count = readSync(channels.map, piece);
    if (count === 0) throw new Error('vals has ended.');
    read(Buffer.from(piece.subarray(0, count)));
  }
  return map;
}

function write(channel: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(channel, bytes, from);
}
