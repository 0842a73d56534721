import type { Clock } from '../../lib/clock.ts';

export interface Outage {
  isUnderWay(): boolean;
  serviceFailed(file: string): void;
  serviceAnswered(): void;
  keep(file: string): void;
  planRetry(): void;
  close(): void;
}

export interface OutageOptions {
  clock: Clock;
  send(file: string): void;
  onBegan(): void;
  onEnded(): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export function createOutage({ clock, send, onBegan, onEnded }: OutageOptions): Outage {
  const kept = new Set<string>();
  let underWay = false;
  let failures = 0;
  let cancel: (() => void) | undefined;

  function sendNext(): void {
    cancel = undefined;
    const [file] = kept;
    if (file === undefined) return;
    kept.delete(file);
    send(file);
  }

  function planRetry(): void {
    if (!underWay || cancel !== undefined) return;
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
    failures += 1;
    cancel = clock.after(pause * (0.5 + Math.random() / 2), sendNext);
  }

  return {
    isUnderWay: () => underWay,
    serviceFailed(file) {
      kept.add(file);
      if (!underWay) onBegan();
      underWay = true;
      planRetry();
    },
    keep(file) {
      kept.add(file);
      planRetry();
    },
    planRetry,
    serviceAnswered() {
      if (!underWay) return;
      underWay = false;
      failures = 0;
      cancel?.();
      cancel = undefined;
      onEnded();
      const files = [...kept];
      kept.clear();
      for (const file of files) send(file);
    },
    close: () => cancel?.(),
  };
}
