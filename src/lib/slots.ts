export interface Slots {
  run<Result>(work: () => Result | Promise<Result>): Promise<Result>;
}

/** One slot that is taken in the middle of some work, and kept until its end. */
export interface Turn {
  begin(): Promise<void>;
  end(): void;
}

export function createTurn(slots: Slots): Turn {
  let begun: Promise<void> | undefined;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const begin = () =>
    new Promise<void>((resolve) => {
      void slots.run(() => {
        resolve();
        return ended;
      });
    });
  return {
    begin() {
      begun ??= begin();
      return begun;
    },
    end,
  };
}

export function createSlots(count: number, onIdle?: () => void): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
        if (free === count) onIdle?.();
      }
    },
  };
}
