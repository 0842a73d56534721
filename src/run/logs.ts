import { stripVTControlCharacters } from 'node:util';
import { endOfLogs, mostLogBytes } from '../core/lib/val-limits.ts';
import { redactedBytes } from '../core/lib/visible.ts';

export interface Logs {
  add(bytes: Buffer): void;
  isEmpty(): boolean;
  text(): string;
}

/** Keeps the last 64 KiB of what a val printed, without colours and without the token, which goes before anything is cut. */
export function createLogs(redact: (text: string) => string): Logs {
  let pieces: Buffer[] = [];
  let size = 0;
  const last = () => {
    const end = endOfLogs(redactedBytes(Buffer.concat(pieces), redact));
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
    text: () => redact(stripVTControlCharacters(last().toString())),
  };
}
