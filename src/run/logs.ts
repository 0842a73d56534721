import { stripVTControlCharacters } from 'node:util';

const mostBytes = 65_536;

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
    const whole = Buffer.concat(pieces).subarray(-mostBytes);
    pieces = [Buffer.from(whole)];
    size = whole.length;
    return whole;
  };
  return {
    add(bytes) {
      pieces.push(Buffer.from(bytes));
      size += bytes.length;
      if (size > 2 * mostBytes) last();
    },
    isEmpty: () => size === 0,
    text() {
      const whole = last();
      // A character that was cut in half at the beginning is left out.
      const start = whole.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
      return stripVTControlCharacters(whole.subarray(Math.max(start, 0)).toString());
    },
  };
}

/** Agents read results as text, and a long one would push other things out of their memory. */
export const endForAgents = (logs: string): string => logs.slice(-20_000);
