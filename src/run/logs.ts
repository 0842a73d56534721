import { stripVTControlCharacters } from 'node:util';
import { endOfLogs, mostLogBytes } from '../core/lib/val-limits.ts';

export interface Logs {
  add(bytes: Buffer): void;
  isEmpty(): boolean;
  text(): string;
}

/** Keeps the last 64 KiB of what a val printed, without colours. */
export function createLogs(): Logs {
  let pieces: Buffer[] = [];
  let size = 0;
  const last = () => {
    const end = endOfLogs(Buffer.concat(pieces));
    pieces = [Buffer.from(end)];
    size = end.length;
    return end;
  };
  return {
    add(bytes) {
      pieces.push(Buffer.from(bytes));
      size += bytes.length;
      if (size > 2 * mostLogBytes) last();
    },
    isEmpty: () => size === 0,
    text: () => stripVTControlCharacters(last().toString()),
  };
}
