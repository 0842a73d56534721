// Notices when one of the files that a val was made of is saved, however an editor does it.
import { statSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';

export interface Changes {
  /** This file from now on, beside those before; it need not be there. */
  follow(file: string): void;
  close(): void;
}

/** An editor may touch a file several times for one save. */
const settledAfterMs = 100;
const lookEveryMs = 100;

/**
 * By looking at them again and again: what tells of changes goes by folders, and has to be told of each that is moved
 * away, comes back, or is not there yet. A look at a hundred files takes less than a millisecond.
 */
export function watchFiles(files: readonly string[], clock: Clock, onChange: () => void): Changes {
  const followed = new Map(files.map((file) => [file, stampOf(file)]));
  let cancelChange = () => {};
  let cancelLook = clock.after(lookEveryMs, look);

  function look(): void {
    for (const [file, stamp] of followed) {
      const now = stampOf(file);
      if (now === stamp) continue;
      followed.set(file, now);
      cancelChange();
      cancelChange = clock.after(settledAfterMs, onChange);
    }
    cancelLook = clock.after(lookEveryMs, look);
  }

  return {
    follow: (file) => void (followed.has(file) || followed.set(file, stampOf(file))),
    close() {
      cancelChange();
      cancelLook();
    },
  };
}

/** Another one for another file in its place; the same for all that cannot be found. */
function stampOf(file: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return '';
  }
}
