// Notices when a file of a val is saved, no matter how the editor writes the file.
import { statSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';

export interface Changes {
  /** Watches one more file. The file need not exist yet. */
  follow(file: string): void;
  close(): void;
}

/** A change is reported after a pause of this length, because an editor may write a file several times for one save. */
const quietMs = 100;
const pollMs = 100;

/**
 * Polls the files. The system's watchers work by folder, so the program would have to follow each folder that is moved,
 * restored or not created yet. Examining a hundred files takes less than a millisecond.
 */
export function watchFiles(files: readonly string[], clock: Clock, onChange: () => void): Changes {
  const stamps = new Map(files.map((file) => [file, stampOf(file)]));
  let cancelChange = () => {};
  let cancelPoll = clock.after(pollMs, poll);

  function poll(): void {
    for (const [file, stamp] of stamps) {
      const now = stampOf(file);
      if (now === stamp) continue;
      stamps.set(file, now);
      cancelChange();
      cancelChange = clock.after(quietMs, onChange);
    }
    cancelPoll = clock.after(pollMs, poll);
  }

  return {
    follow(file) {
      if (!stamps.has(file)) stamps.set(file, stampOf(file));
    },
    close() {
      cancelChange();
      cancelPoll();
    },
  };
}

/** The stamp changes when the file is written or replaced. It is empty if the file does not exist. */
function stampOf(file: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return '';
  }
}
