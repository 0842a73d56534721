// So many at a time, in the order in which they came.
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
