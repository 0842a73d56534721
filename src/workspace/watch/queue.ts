export interface Queue {
  add(file: string): void;
  close(): Promise<void>;
}

export function createQueue(
  concurrency: number,
  work: (file: string) => Promise<void>,
  onIdle: () => void,
): Queue {
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let closed = false;

  function begin(): void {
    for (const file of waiting) {
      if (closed || running.size >= concurrency) return;
      if (running.has(file)) continue;
      waiting.delete(file);
      const done = work(file).finally(() => {
        running.delete(file);
        begin();
        if (running.size === 0) onIdle();
      });
      running.set(file, done);
    }
  }

  return {
    add(file) {
      waiting.add(file);
      begin();
    },
    async close() {
      closed = true;
      await Promise.all(running.values());
    },
  };
}
