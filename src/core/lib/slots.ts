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

/** As many slots for each key, such as a person or a val. Keys that nobody uses take no memory. */
export function createKeyedSlots(count: number): (key: string) => Slots {
  const byKey = new Map<string, Slots>();
  return (key) => {
    const known = byKey.get(key);
    if (known) return known;
    const slots = createSlots(count, () => byKey.delete(key));
    byKey.set(key, slots);
    return slots;
  };
}
