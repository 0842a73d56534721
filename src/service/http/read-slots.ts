const mostReadsOfOneCaller = 3;

interface Slots {
  used: number;
  waiting: (() => void)[];
}

export interface ReadSlots {
  run<Result>(caller: string, read: () => Result | Promise<Result>): Promise<Result>;
}

export function createReadSlots(): ReadSlots {
  const byCaller = new Map<string, Slots>();

  return {
    async run(caller, read) {
      const slots = byCaller.get(caller) ?? { used: 0, waiting: [] };
      byCaller.set(caller, slots);
      if (slots.used < mostReadsOfOneCaller) slots.used += 1;
      else await new Promise<void>((resolve) => slots.waiting.push(resolve));
      try {
        return await read();
      } finally {
        const next = slots.waiting.shift();
        if (next) next();
        else slots.used -= 1;
        if (slots.used === 0) byCaller.delete(caller);
      }
    },
  };
}
