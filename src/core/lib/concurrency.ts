// Work that is done once, or by a limited number at a time.
export interface Slots {
  run<Result>(work: () => Result | Promise<Result>): Promise<Result>;
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

/** Makes the value at the first call, and gives the same one to all calls. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
