import { createSlots, type Slots } from '../slots.ts';

const mostReadsOfOneCaller = 3;

export function createReadSlots(): (caller: string) => Slots {
  const byCaller = new Map<string, Slots>();
  return (caller) => {
    const known = byCaller.get(caller);
    if (known) return known;
    const slots = createSlots(mostReadsOfOneCaller, () => byCaller.delete(caller));
    byCaller.set(caller, slots);
    return slots;
  };
}
