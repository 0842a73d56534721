import { createSlots, type Slots } from '../lib/slots.ts';

export type CallerSlots = (caller: string) => Slots;

export function createCallerSlots(count: number): CallerSlots {
  const byCaller = new Map<string, Slots>();
  return (caller) => {
    const known = byCaller.get(caller);
    if (known) return known;
    const slots = createSlots(count, () => byCaller.delete(caller));
    byCaller.set(caller, slots);
    return slots;
  };
}
