// While the service cannot be reached: what waits until it can, and when it is tried again.
import type { Clock } from '../../lib/clock.ts';

export interface Outage {
  isUnderWay(): boolean;
  /** Keeps a file until the service is back, and tries again after a while. */
  began(file: string): void;
  /** Keeps one more, while it is under way. */
  await(file: string): void;
  /** The service answered: what waits goes on. */
  ended(): void;
  /** It is still not known: tries the next one after a while. */
  retry(): void;
  close(): void;
}

export interface OutageOptions {
  clock: Clock;
  /** Sends a file once more: one of them, to see whether the service is back, or each when it is. */
  send(file: string): void;
  onBegan(): void;
  onEnded(): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export function createOutage({ clock, send, onBegan, onEnded }: OutageOptions): Outage {
  const stranded = new Set<string>();
  let underWay = false;
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
    if (!underWay || cancel !== undefined) return;
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
    failures += 1;
    // Not all at once, where many lost the same service.
    cancel = clock.after(pause * (0.5 + Math.random() / 2), sendNext);
  }

  return {
    isUnderWay: () => underWay,
    began(file) {
      stranded.add(file);
      if (!underWay) onBegan();
      underWay = true;
      retry();
    },
    await(file) {
      stranded.add(file);
      retry();
    },
    retry,
    ended() {
      if (!underWay) return;
      underWay = false;
      failures = 0;
      cancel?.();
      cancel = undefined;
      onEnded();
      const files = [...stranded];
      stranded.clear();
      for (const file of files) send(file);
    },
    close: () => cancel?.(),
  };
}
