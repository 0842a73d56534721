// Whether the service can be reached, and what waits until it can.
import type { Clock } from '../../lib/clock.ts';

export interface Reach {
  isLost(): boolean;
  /** Keeps a file until the service is back, and tries again after a while. */
  lose(file: string): void;
  /** Keeps one more, while it is lost. */
  await(file: string): void;
  /** The service answered: what waits goes on. */
  regain(): void;
  /** Nobody knows still: tries the next one after a while. */
  retry(): void;
  close(): void;
}

export interface ReachOptions {
  clock: Clock;
  /** Sends a file once more: one of them, to see whether the service is back, or each when it is. */
  send(file: string): void;
  onLost(): void;
  onRegained(): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export function createReach({ clock, send, onLost, onRegained }: ReachOptions): Reach {
  const stranded = new Set<string>();
  let lost = false;
  let failures = 0;
  let cancel: (() => void) | undefined;

  function sendNext(): void {
    cancel = undefined;
    const [file] = stranded;
    if (file === undefined) return;
    stranded.delete(file);
    send(file);
  }

  function retry(): void {
    if (!lost || cancel !== undefined) return;
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
    failures += 1;
    // Not all at once, where many lost the same service.
    cancel = clock.after(pause * (0.5 + Math.random() / 2), sendNext);
  }

  return {
    isLost: () => lost,
    lose(file) {
      stranded.add(file);
      if (!lost) onLost();
      lost = true;
      retry();
    },
    await(file) {
      stranded.add(file);
      retry();
    },
    retry,
    regain() {
      if (!lost) return;
      lost = false;
      failures = 0;
      cancel?.();
      cancel = undefined;
      onRegained();
      const files = [...stranded];
      stranded.clear();
      for (const file of files) send(file);
    },
    close: () => cancel?.(),
  };
}
