import { statSync } from 'node:fs';
import type { Clock } from '../core/lib/waiting.ts';

export interface Changes {
  follow(file: string): void;
  /** Resolves at once, or when `onChange` has been called for the files that were saved before. */
  seen(): Promise<void>;
  close(): void;
}

const debounceMs = 100;
const pollMs = 100;

/** Polls, because `fs.watch` does not follow a folder that is moved or created later. */
export function watchFiles(files: readonly string[], clock: Clock, onChange: () => void): Changes {
  const stamps = new Map(files.map((file) => [file, stampOf(file)]));
  const waiting: (() => void)[] = [];
  let isChanged = false;
  let cancelChange = () => {};
  let cancelPoll = clock.after(pollMs, poll);

  function look(): void {
    for (const [file, stamp] of stamps) {
      const now = stampOf(file);
      if (now === stamp) continue;
      stamps.set(file, now);
      isChanged = true;
      cancelChange();
      cancelChange = clock.after(debounceMs, report);
    }
  }

  function report(): void {
    isChanged = false;
    onChange();
    for (const resolve of waiting.splice(0)) resolve();
  }

  function poll(): void {
    look();
    cancelPoll = clock.after(pollMs, poll);
  }

  return {
    follow(file) {
      if (!stamps.has(file)) stamps.set(file, stampOf(file));
    },
    seen() {
      look();
      return isChanged ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
    },
    close() {
      cancelChange();
      cancelPoll();
    },
  };
}

function stampOf(file: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return '';
  }
}
