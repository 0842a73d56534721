import { createSlots, type Slots } from '../slots.ts';

export function createCallerSlots(count: number): (caller: string) => Slots {
  const byCaller = new Map<string, Slots>();
  return (caller) => {
    const known = byCaller.get(caller);
    if (known) return known;
    const slots = createSlots(count, () => byCaller.delete(caller));
    byCaller.set(caller, slots);
    return slots;
  };
}
